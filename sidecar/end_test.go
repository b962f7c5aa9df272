//go:build unix

package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/editor"
)

func TestShutdownThenExitIsTheOnlyGoodEnd(t *testing.T) {
	t.Run("shutdown and exit", func(t *testing.T) {
		e := serveReady(t, nil)
		got := e.Expect(40)
		if err := e.Frame([]byte(`{"jsonrpc":"2.0","id":40,"method":"shutdown","params":null}`)); err != nil {
			t.Fatal(err)
		}
		if answer, err := got.Wait(soon(t)); err != nil || string(answer) != "null" {
			t.Errorf("shutdown: %s, %v", answer, err)
		}
		wantError(t, e.Execute("test.ping", args{}, nil), -32600)
		wantError(t, e.Call("shutdown", nil), -32600)
		if err := e.Exit(); err != nil {
			t.Fatal(err)
		}
		wantStatus(t, e, 0)
	})
	t.Run("exit alone", func(t *testing.T) {
		e := serveReady(t, nil)
		if err := e.Exit(); err != nil {
			t.Fatal(err)
		}
		wantStatus(t, e, 1)
	})
	t.Run("exit before initialize", func(t *testing.T) {
		e := serve(t, nil)
		if err := e.Exit(); err != nil {
			t.Fatal(err)
		}
		wantStatus(t, e, 1)
	})
	t.Run("end of input, idle", func(t *testing.T) {
		e := serveReady(t, nil)
		_ = e.CloseInput()
		wantStatus(t, e, 1)
	})
	t.Run("end of input after shutdown", func(t *testing.T) {
		e := serveReady(t, nil)
		if err := e.Shutdown(soon(t)); err != nil {
			t.Fatal(err)
		}
		_ = e.CloseInput()
		wantStatus(t, e, 1)
	})
	t.Run("end of input in the middle of a message", func(t *testing.T) {
		e := serveReady(t, nil)
		if err := e.Raw([]byte("Content-Length: 100\r\n\r\n{")); err != nil {
			t.Fatal(err)
		}
		_ = e.CloseInput()
		wantStatus(t, e, 1)
	})
	t.Run("the caller's context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		opt := testOptions()
		opt.Getenv = func(string) string { return "" }
		e := editor.InProcess(func(in io.Reader, out io.Writer) int { return Serve(ctx, in, out, opt) })
		t.Cleanup(e.Close)
		initialize(t, e, editor.Options{})
		cancel()
		wantStatus(t, e, 1)
	})
}

// Whatever ends a server, what runs is rolled back first.
func TestEveryEndRollsBackWhatRuns(t *testing.T) {
	for name, test := range map[string]struct {
		end    func(e *editor.Editor, server *os.Process) error
		status int
	}{
		"end of input": {func(e *editor.Editor, _ *os.Process) error { return e.CloseInput() }, 1},
		"SIGTERM":      {func(_ *editor.Editor, p *os.Process) error { return p.Signal(syscall.SIGTERM) }, 1},
		"SIGINT":       {func(_ *editor.Editor, p *os.Process) error { return p.Signal(syscall.SIGINT) }, 1},
		"SIGHUP":       {func(_ *editor.Editor, p *os.Process) error { return p.Signal(syscall.SIGHUP) }, 1},
		"exit":         {func(e *editor.Editor, _ *os.Process) error { return e.Exit() }, 1},
		"shutdown and exit": {func(e *editor.Editor, _ *os.Process) error {
			_ = e.Call("shutdown", nil)
			return e.Exit()
		}, 0},
		"reader of stdout gone": {func(e *editor.Editor, _ *os.Process) error {
			if err := e.CloseOutput(); err != nil {
				return err
			}
			return e.Notify("$/cancelRequest", args{"id": 2}) // the next write fails: SIGPIPE, if nobody caught it
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "SIGHUP" && signal.Ignored(syscall.SIGHUP) {
				t.Skip("this test run ignores SIGHUP (nohup), and so would the server")
			}
			cmd := exec.Command(os.Args[0])
			cmd.Env = []string{"SIDECAR_TEST=serve", "HOME=" + t.TempDir()}
			e, err := editor.Start(cmd)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(e.Close)
			initialize(t, e, editor.Options{})
			waiting(t, e, "t") // request 2
			waiting(t, e, "u")
			if err := test.end(e, cmd.Process); err != nil {
				t.Fatal(err)
			}
			wantStatus(t, e, test.status)
			if got := strings.Count(e.Stderr(), "rolled back"); got != 2 {
				t.Errorf("%d of 2 commands rolled back; stderr: %s", got, e.Stderr())
			}
		})
	}
}

// The wait for roll-backs is bounded: one that hangs does not keep the process for ever.
func TestTheEndDoesNotWaitForEver(t *testing.T) {
	release := make(chan struct{})
	e := serveReady(t, func(o *Options) {
		o.RollbackWithin = time.Millisecond
		o.Run = func(_ context.Context, _ *commands.Env, _ string, _ json.RawMessage, p commands.Progress) (any, *commands.Failure) {
			p.Stage("op", commands.Creating, 1)
			<-release
			return nil, nil
		}
	})
	c := e.Execute("test.wait", args{"operationId": "op"}, "t")
	if _, err := c.Stages.Await(soon(t), editor.IsStage("creating")); err != nil {
		t.Fatal(err)
	}
	_ = e.CloseInput()
	wantStatus(t, e, 1)
	close(release)
}

func TestTheServerEndsWithItsEditor(t *testing.T) {
	run := func(t *testing.T) (editorProcess *exec.Cmd, e *editor.Editor) {
		editorProcess = exec.Command(os.Args[0])
		editorProcess.Env = []string{"SIDECAR_TEST=wait"}
		stdin, err := editorProcess.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := editorProcess.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = stdin.Close() })
		return editorProcess, serveProcess(t, editor.Options{ProcessID: editorProcess.Process.Pid, Trace: "verbose"})
	}
	t.Run("killed while the pipes stay open", func(t *testing.T) {
		process, e := run(t)
		waiting(t, e, "t")
		_ = process.Process.Kill() // a zombie until it is waited for: that has ended too
		wantStatus(t, e, 1)
		_ = process.Wait()
		if !strings.Contains(e.Stderr(), "rolled back") {
			t.Errorf("not rolled back; stderr: %s", e.Stderr())
		}
	})
	// Over ssh the number is one of the user's own machine, and here means somebody else.
	t.Run("not over ssh, unless it started us", func(t *testing.T) {
		ssh := Options{Getenv: func(name string) string { return map[string]string{"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}[name] }}
		s := &server{opt: ssh, logs: &logs{file: zap.NewNop()}}
		if s.sameMachine(os.Getpid()) || !s.sameMachine(os.Getppid()) {
			t.Error("over ssh, a process is watched that did not start us, or the one that did is not")
		}
		s.opt.Getenv = func(string) string { return "" }
		if !s.sameMachine(os.Getpid()) {
			t.Error("without ssh, a process is not watched")
		}
	})
	t.Run("one that cannot be found is not watched", func(t *testing.T) {
		e := serveProcess(t, editor.Options{ProcessID: 1<<31 - 2})
		wantAlive(t, e)
	})
}

func TestWaitForEndGivesUpWithItsContext(t *testing.T) {
	for name, wait := range map[string]func(context.Context, int) error{"waitForEnd": waitForEnd, "pollEnd": pollEnd} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := wait(ctx, os.Getpid()); err != context.Canceled {
			t.Errorf("%s: %v", name, err)
		}
		if err := wait(t.Context(), 1<<31-2); err == nil || err == context.Canceled {
			t.Errorf("%s of a process that is not there: %v", name, err)
		}
	}
}

// An ignored signal stays ignored in every child: `yes | head -1` in a setup script would never end.
func TestChildrenDoNotIgnoreSIGPIPE(t *testing.T) {
	e := serveReady(t, func(o *Options) {
		o.Run = func(ctx context.Context, _ *commands.Env, _ string, _ json.RawMessage, _ commands.Progress) (any, *commands.Failure) {
			err := exec.CommandContext(ctx, "sh", "-c", "kill -PIPE $$").Run()
			ended, _ := errors.AsType[*exec.ExitError](err)
			return ended != nil && ended.Sys().(syscall.WaitStatus).Signal() == syscall.SIGPIPE, nil
		}
	})
	if got, err := e.Execute("test.ping", args{}, nil).Wait(soon(t)); err != nil || string(got) != "true" {
		t.Errorf("a child ignores SIGPIPE: %s, %v", got, err)
	}
}
