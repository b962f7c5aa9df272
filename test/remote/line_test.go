//go:build linux

package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/ptydrive"
)

// environ is that of a command line here, which goes by this ssh.
func environ(ssh string) []string {
	return append(os.Environ(), role+"=sidefork", "SIDEFORK_SSH="+ssh)
}

// line runs sidefork here.
func line(t *testing.T, ssh string, arguments ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], arguments...)
	cmd.Env = environ(ssh)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	if failed := cmd.Run(); failed != nil {
		if _, ended := errors.AsType[*exec.ExitError](failed); !ended {
			t.Fatal(failed)
		}
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// there is a path as it is typed for --host.
func (b *box) there(path string) string {
	if rel, err := filepath.Rel(b.home, path); err == nil && b.uid != 0 {
		return rel
	}
	return path
}

func TestTheCommandLineAnswersAsItWouldThere(t *testing.T) {
	b := theBox(t)
	s := newScene(t, b)
	ssh := b.ssh(t, b.port, "")
	there := b.there(s.parent)
	for _, command := range []string{
		"workspaces WS", "sessions WS", "sessions --scope all", "inspect WS", "plan WS --name x", "compare WS", "settings", "guard claude", "recover WS",
		"outcome 6f1c2a0e-6d0b-4c6e-9b62-0a8f6b0c4d3e WS", "settings --set carry.maxFiles=7", "version", "doctor",
		"inspect /nonexistent", "fork WS --name a..b", "carry WS WS", "adopt WS --none", "remove WS", "trust WS x",
	} {
		t.Run(command, func(t *testing.T) {
			if testing.Short() && !strings.HasPrefix(command, "plan") {
				t.Skip("one is enough for a short run")
			}
			t.Parallel()
			arguments := append(strings.Fields(strings.ReplaceAll(command, "WS", there)), "--json")
			local := exec.Command(filepath.Join(b.home, ".local", "bin", "sidefork"), arguments...)
			local.Dir = b.lies
			out, diagnostics, status := b.output(local)
			gotOut, gotErr, gotStatus := line(t, ssh, append(arguments, "--host", "box")...)
			for what, pair := range map[string][2]string{"stdout": {out, gotOut}, "stderr": {diagnostics, gotErr}} {
				if diff := cmp.Diff(forgetful(pair[0]), forgetful(pair[1])); diff != "" {
					t.Errorf("%s differs from there (-there +here):\n%s", what, diff)
				}
			}
			if status != gotStatus {
				t.Errorf("exit status %d, there %d", gotStatus, status)
			}
		})
	}
}

// forgetful is JSON without what is another one each time.
func forgetful(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	var forget func(any)
	forget = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "port")
			delete(v, "path") // of an agent, by the PATH of a shell
			for _, inner := range v {
				forget(inner)
			}
		case []any:
			for _, inner := range v {
				forget(inner)
			}
		}
	}
	forget(v)
	return v
}

func TestTheExitStatusSaysWhatBecameOfIt(t *testing.T) {
	b := theBox(t)
	s := newScene(t, b)
	ssh := b.ssh(t, b.port, "")
	there := b.there(s.parent)
	for _, c := range []struct {
		command string
		status  int
		says    string
	}{
		{"fork " + there + " --name a..b", 3, "invalidName"},
		{"fork " + there + " --name x --copies 99", 2, ""},
		{"fork " + there + " --name feature/try --dir " + b.there(s.child) + " --no-session", 0, ""},
		{"fork " + there + " --name feature/try --no-session", 3, "nameTaken"},
		{"workspaces " + there + " --set no.such=1", 2, "no.such"},
	} {
		out, diagnostics, status := line(t, ssh, append(strings.Fields(c.command), "--host", "box", "--json")...)
		if status != c.status || !strings.Contains(diagnostics, c.says) {
			t.Errorf("%s: exit status %d\n%s%s", c.command, status, out, diagnostics)
		}
	}
	s.whole(t)

	// A line that breaks, and a host that is away afterwards.
	s = newScene(t, b)
	p := newProxy(t, b)
	_, filter := newValves(t, func(now passing) bool {
		if now.Method == "sidefork/stage" {
			p.close()
			return false
		}
		return true
	})
	p2 := b.ssh(t, p.port(), filter)
	cmd := exec.Command(os.Args[0], "fork", s.parent, "--name", "x", "--no-session", "--host", "box")
	cmd.Env = environ(p2)
	said := &lines{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(said.text(), "Asking what has become of it") { // it has lost the line, and goes on asking
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 4 || !strings.Contains(said.text(), "sidefork outcome ") || !strings.Contains(said.text(), "may be partially applied") {
		t.Errorf("exit status %d\n%s", status, said.text())
	}
}

// typed is a command line on a terminal.
func typed(t *testing.T, ssh string, arguments ...string) *ptydrive.Terminal {
	t.Helper()
	p, err := ptydrive.Start(ptydrive.Program{Argv: append([]string{os.Args[0]}, arguments...), Env: environ(ssh)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// TestCtrlCTakesBackWhatWasBegunThere: the terminal's Ctrl-C does not end the ssh, which has to bring the news of it.
func TestCtrlCTakesBackWhatWasBegunThere(t *testing.T) {
	b := theBox(t)
	s := newScene(t, b)
	var terminal atomic.Pointer[ptydrive.Terminal]
	cancelled := make(chan struct{})
	var once sync.Once
	v, filter := newValves(t, func(now passing) bool {
		switch now.Method {
		case "sidefork/stage":
			if now.Conn > 1 {
				return true
			}
			for terminal.Load() == nil {
				time.Sleep(time.Millisecond)
			}
			_ = terminal.Load().Press(ptydrive.CtrlC)
			<-cancelled
		case "$/cancelRequest":
			once.Do(func() { close(cancelled) })
		}
		return true
	})
	t.Cleanup(func() { once.Do(func() { close(cancelled) }) })
	p := typed(t, b.ssh(t, b.port, filter), "fork", s.parent, "--name", s.branch, "--dir", s.child, "--no-session", "--host", "box")
	terminal.Store(p)
	status, err := p.Wait(within(t))
	switch {
	case err != nil:
		t.Fatal(err)
	case status == 130:
		s.gone(t)
	case status == 0: // it was ready before the news came
		s.whole(t)
	default:
		t.Errorf("exit status %d\n%s", status, p.Shown())
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.conns != 1 {
		t.Errorf("it took %d connections: the first was lost by the Ctrl-C", v.conns)
	}
}

// TestTheQuestionsOfSSHReachThePerson: a passphrase is asked for, and typed, and a Ctrl-C there is a cancel.
func TestTheQuestionsOfSSHReachThePerson(t *testing.T) {
	b := theBox(t)
	s := newScene(t, b)
	ssh := b.sshWith(t, b.port, "", "locked", "PreferredAuthentications publickey")
	p := typed(t, ssh, "workspaces", s.parent, "--host", "box")
	if _, err := p.Await(within(t), "passphrase"); err != nil {
		t.Fatal(err)
	}
	if err := p.Press(passphrase + ptydrive.Enter); err != nil {
		t.Fatal(err)
	}
	if status, err := p.Wait(within(t)); err != nil || status != 0 || !strings.Contains(p.Shown(), "main") {
		t.Errorf("exit status %d, %v\n%s", status, err, p.Shown())
	}
	p = typed(t, ssh, "workspaces", s.parent, "--host", "box")
	if _, err := p.Await(within(t), "passphrase"); err != nil {
		t.Fatal(err)
	}
	if err := p.Press(ptydrive.CtrlC); err != nil {
		t.Fatal(err)
	}
	if status, err := p.Wait(within(t)); err != nil || status != 130 {
		t.Errorf("exit status %d, %v\n%s", status, err, p.Shown())
	}
}

// agentThere is a stand-in for claude there, and a conversation of it.
const conversationID = "9c322651-a113-47aa-817a-43cef594a8f5"

func (s *scene) agentThere(t *testing.T) {
	t.Helper()
	program := filepath.Join(s.home, ".local", "bin", "claude")
	script := "#!/bin/sh\n[ \"$1\" = --version ] && { echo '2.1.332 (Claude Code)'; exit; }\n" +
		"[ -t 0 ] && echo \"I am at $(tty) in $PWD\"\necho \"my arguments: $*\"\nread answer\necho \"you said $answer\"\n"
	s.as(t, s.home, "sh", "-c", `printf %s "$1" >"$2" && chmod 755 "$2"`, "sh", script, program)
	t.Cleanup(func() { os.Remove(program) })
	transcript, err := os.ReadFile("../demo/transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(s.parent)
	transcript = bytes.ReplaceAll(transcript, []byte(`"/home/dev/src/main"`), quoted)
	folder := filepath.Join(s.home, ".claude", "projects", strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r) {
			return r
		}
		return '-'
	}, s.parent))
	cmd := exec.Command("sh", "-c", `mkdir -p "$1" && cat >"$1/$2.jsonl"`, "sh", folder, conversationID)
	cmd.Stdin = bytes.NewReader(transcript)
	if out, diagnostics, status := s.output(cmd); status != 0 {
		t.Fatal(out, diagnostics)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
}

// TestTheAgentOfAForkRunsThereInThisTerminal by a second ssh, with a terminal of its own.
func TestTheAgentOfAForkRunsThereInThisTerminal(t *testing.T) {
	b := theBox(t)
	s := newScene(t, b)
	s.agentThere(t)
	p := typed(t, b.ssh(t, b.port, ""), "fork", s.parent, "--name", s.branch, "--dir", s.child, "--latest", "--prompt", `it's "quoted" $HOME`, "--host", "box")
	if _, err := p.Await(within(t), "I am at /dev/pts"); err != nil {
		t.Fatalf("%v\n%s", err, p.Shown())
	}
	if err := p.Press("hello" + ptydrive.Enter); err != nil {
		t.Fatal(err)
	}
	status, err := p.Wait(within(t))
	if err != nil || status != 0 {
		t.Errorf("exit status %d, %v", status, err)
	}
	for _, want := range []string{"in " + s.child, "--fork-session", `it's "quoted" $HOME`, "you said hello"} {
		if !strings.Contains(strings.Join(strings.Fields(p.Shown()), " "), want) && !strings.Contains(squeezed(p.Shown()), squeezed(want)) {
			t.Errorf("it does not show %q:\n%s", want, p.Shown())
		}
	}
	s.whole(t)
}

func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

// TestAnAgentInTmuxThereOutlivesTheLine and is attached again.
func TestAnAgentInTmuxThereOutlivesTheLine(t *testing.T) {
	b := theBox(t)
	if program("tmux") == "" {
		t.Skip("tmux is not installed")
	}
	s := newScene(t, b)
	s.agentThere(t)
	t.Cleanup(func() {
		cmd := exec.Command("tmux", "-L", "sidefork", "kill-server")
		b.output(cmd)
	})
	ssh := b.ssh(t, b.port, "")
	out, diagnostics, status := line(t, ssh, "fork", s.parent, "--name", s.branch, "--dir", s.child, "--latest", "--launch", "tmux", "--host", "box", "--json")
	var r commands.ForkResult
	if status != 0 || json.Unmarshal([]byte(out), &r) != nil || r.Launch == nil || r.Launch.Tmux == "" {
		t.Fatalf("exit status %d\n%s%s", status, out, diagnostics)
	}
	p := typed(t, ssh, "attach", r.Launch.Tmux, "--host", "box")
	if _, err := p.Await(within(t), "my arguments"); err != nil {
		t.Fatalf("%v\n%s", err, p.Shown())
	}
	if err := p.Close(); err != nil { // the window is closed, the line with it
		t.Fatal(err)
	}
	out, diagnostics, status = line(t, ssh, "attach", "--json", "--host", "box")
	if status != 0 || !strings.Contains(out, fmt.Sprintf("%q", r.Launch.Tmux)) {
		t.Errorf("exit status %d\n%s%s", status, out, diagnostics)
	}
}

// TestAMasterConnectionIsSharedAndHoldsNothingUp: with ControlMaster and ControlPersist in the user's configuration, an ssh stays
// behind that others go through; no command waits for it.
func TestAMasterConnectionIsSharedAndHoldsNothingUp(t *testing.T) {
	b := theBox(t)
	s := newScene(t, b)
	dir, err := os.MkdirTemp("", "master") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := newProxy(t, b)
	ssh := b.sshWith(t, p.port(), "", "user", "BatchMode yes\n  ControlMaster auto\n  ControlPersist 60\n  ControlPath "+filepath.Join(dir, "s"))
	t.Cleanup(func() { _ = exec.Command(ssh, "-O", "exit", "box").Run() })
	for range 2 {
		if out, diagnostics, status := line(t, ssh, "workspaces", s.parent, "--host", "box"); status != 0 || !strings.Contains(out, "main") {
			t.Fatalf("exit status %d\n%s%s", status, out, diagnostics)
		}
	}
	p.mu.Lock()
	connections := len(p.conns)
	p.mu.Unlock()
	if connections != 1 {
		t.Errorf("there were %d connections, of which the second should have shared the first", connections)
	}
	// A Ctrl-C while it is shared.
	var terminal atomic.Pointer[ptydrive.Terminal]
	cancelled := make(chan struct{})
	var once sync.Once
	v, filter := newValves(t, func(now passing) bool {
		switch {
		case now.Method == "sidefork/stage" && now.Conn == 1:
			for terminal.Load() == nil {
				time.Sleep(time.Millisecond)
			}
			_ = terminal.Load().Press(ptydrive.CtrlC)
			<-cancelled
		case now.Method == "$/cancelRequest":
			once.Do(func() { close(cancelled) })
		}
		return true
	})
	t.Cleanup(func() { once.Do(func() { close(cancelled) }) })
	shared := filepath.Join(t.TempDir(), "ssh")
	if err := os.WriteFile(shared, []byte("#!/bin/sh\nexec "+filter+" "+ssh+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	typing := typed(t, shared, "fork", s.parent, "--name", s.branch, "--dir", s.child, "--no-session", "--host", "box")
	terminal.Store(typing)
	if status, err := typing.Wait(within(t)); err != nil || status != 130 && status != 0 {
		t.Errorf("exit status %d, %v\n%s", status, err, typing.Shown())
	} else if status == 130 {
		s.gone(t)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.conns != 1 {
		t.Errorf("it took %d connections", v.conns)
	}
}
