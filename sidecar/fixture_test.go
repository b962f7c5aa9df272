package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/editor"
)

// TestMain is also the server of the tests that need a process: the test binary started again.
func TestMain(m *testing.M) {
	switch os.Getenv("SIDECAR_TEST") {
	case "serve":
		os.Exit(Serve(context.Background(), os.Stdin, os.Stdout, testOptions()))
	case "wait": // a process that ends with its stdin
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// testOptions are a table of commands that do what the tests need: wait, fail, panic.
func testOptions() Options {
	return Options{
		Version: "test",
		Commands: []commands.Command{
			{Name: "test.ping"},
			{Name: "test.len"},
			{Name: "test.env"},
			{Name: "test.panic", Title: "Panic"},
			{Name: "test.fail", Title: "Fail"},
			{Name: "test.wait", Title: "Wait"},
			{Name: "test.stages", Title: "Stages"},
		},
		Run:            runTest,
		RollbackWithin: 20 * time.Second,
	}
}

func runTest(ctx context.Context, env *commands.Env, name string, argument json.RawMessage, progress commands.Progress) (any, *commands.Failure) {
	var a struct {
		OperationID, Text, Code, Effect string
		Number                          int
	}
	if err := json.Unmarshal(argument, &a); err != nil {
		return nil, commands.Refuse("invalidArgument", "what", err.Error())
	}
	switch name {
	case "test.ping":
		return "pong", nil
	case "test.len":
		return len(a.Text) + a.Number, nil
	case "test.env":
		return map[string]any{"folders": env.Folders, "settings": env.Settings}, nil
	case "test.panic":
		progress.Stage(a.OperationID, commands.Preparing, 5)
		panic("boom")
	case "test.fail":
		progress.Stage(a.OperationID, commands.Preparing, 5)
		f := commands.Refuse(a.Code)
		f.Effect, f.Detail = commands.Effect(a.Effect), "the detail"
		return nil, f
	case "test.wait": // until it is cancelled; then rolls back
		progress.Stage(a.OperationID, commands.Creating, 20)
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "rolled back")
		return commands.Cancelled{Status: "cancelled"}, nil
	case "test.stages":
		progress.Stage(a.OperationID, commands.Preparing, 0)
		progress.Stage(a.OperationID, commands.Creating, 40)
		progress.Report(30, "a step back")
		progress.Stage(a.OperationID, commands.Copying, 20)
		progress.Report(60, "a.txt")
		progress.Stage(a.OperationID, commands.Starting, 400)
		return map[string]string{"status": "completed"}, nil
	}
	return nil, commands.Refuse("unknownCommand", "name", name)
}

// serve starts a server in this process, changed as the test wants it, and ends it with the test.
func serve(t *testing.T, change func(*Options)) *editor.Editor {
	t.Helper()
	opt := testOptions()
	opt.Getenv = func(string) string { return "" } // no log file
	if change != nil {
		change(&opt)
	}
	e := editor.InProcess(serveWith(opt))
	t.Cleanup(e.Close)
	return e
}

func serveWith(opt Options) func(in io.Reader, out io.Writer) int {
	return func(in io.Reader, out io.Writer) int { return Serve(context.Background(), in, out, opt) }
}

// serveReady starts one that is initialized.
func serveReady(t *testing.T, change func(*Options)) *editor.Editor {
	t.Helper()
	e := serve(t, change)
	initialize(t, e, editor.Options{})
	return e
}

// serveProcess starts one as a process of its own.
func serveProcess(t *testing.T, o editor.Options, env ...string) *editor.Editor {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append([]string{"SIDECAR_TEST=serve", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, env...)
	e, err := editor.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	initialize(t, e, o)
	return e
}

func initialize(t *testing.T, e *editor.Editor, o editor.Options) json.RawMessage {
	t.Helper()
	answer, err := e.Initialize(soon(t), o)
	if err != nil {
		t.Fatalf("initialize: %v", err)
	}
	return answer
}

// soon is the time by which anything that a test waits for has come, or never will.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

type args map[string]any

// waiting starts a command that runs until it is cancelled, and returns once it runs.
func waiting(t *testing.T, e *editor.Editor, token any) *editor.Call {
	t.Helper()
	op := fmt.Sprintf("op-%s-%v", t.Name(), token)
	c := e.Execute("test.wait", args{"operationId": op}, token)
	if _, err := c.Stages.Await(soon(t), editor.IsStage("creating")); err != nil {
		t.Fatalf("the command did not start: %v", err)
	}
	return c
}

func wantCancelled(t *testing.T, c *editor.Call) {
	t.Helper()
	got, err := c.Wait(soon(t))
	if err != nil || string(got) != `{"status":"cancelled"}` {
		t.Errorf("a cancelled command was answered with %s, %v", got, err)
	}
}

// wantError waits for an error with a code and gives its data.
func wantError(t *testing.T, c *editor.Call, code int) editor.Failure {
	t.Helper()
	got, err := c.Wait(soon(t))
	e, ok := errors.AsType[*editor.Error](err)
	if !ok || e.Code != code {
		t.Errorf("got %s, %v; want an error with code %d", got, err, code)
		return editor.Failure{}
	}
	return e.Failure()
}

func wantAlive(t *testing.T, e *editor.Editor) {
	t.Helper()
	got, err := e.Execute("test.ping", args{}, nil).Wait(soon(t))
	if err != nil || string(got) != `"pong"` {
		t.Errorf("ping afterwards: %s, %v", got, err)
	}
}

func wantStatus(t *testing.T, e *editor.Editor, want int) {
	t.Helper()
	got, err := e.Wait(soon(t))
	if err != nil || got != want {
		t.Errorf("exit status %d, %v; want %d", got, err, want)
	}
}
