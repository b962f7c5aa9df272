//go:build unix

package terminals_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/test/editor"
	"github.com/sidefork/sidefork/test/ptydrive"
)

// withTmux gives a world a tmux server of its own that ends with the test.
func withTmux(t *testing.T) *world {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	w := newWorld(t)
	t.Cleanup(func() {
		if err := ptydrive.EndTmux("sidefork", w.environment(), 30*time.Second); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) tmux(args ...string) (string, error) {
	cmd := exec.Command("tmux", append([]string{"-L", "sidefork"}, args...)...)
	cmd.Env = []string{"TMUX_TMPDIR=" + w.top, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// started is what sidefork/started says.
type started struct {
	OperationID string
	Session     *struct{ Agent, ID string }
	PID         int
	Warning     *struct{ Code, Message, Detail string }
	Draft       string
}

// edit starts an editor on the world's repository.
func (w *world) edit() *editor.Editor {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.bin, "sidefork"), "serve")
	cmd.Dir, cmd.Env = w.home, w.environment()
	e, err := editor.Start(cmd)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(e.Close)
	if _, err := e.Initialize(limit(w.t), editor.Options{Folders: []string{w.repo}}); err != nil {
		w.t.Fatal(err)
	}
	return e
}

// forkOf forks a text that an editor brings along, and gives the fork's answer and operation.
func (w *world) forkOf(e *editor.Editor, name, text, launch string) (answer struct {
	Workspace struct{ Path string }
	Launch    struct {
		Tmux string
		Argv []string
	}
	Session  *struct{ Agent, ID string }
	Draft    string
	Warnings []struct{ Code, Detail string }
}, operation string,
) {
	w.t.Helper()
	operation = uuid.NewString()
	err := e.Execute("sidefork.fork", map[string]any{
		"operationId": operation, "workspace": w.repo, "name": name, "launch": launch, "transcript": map[string]string{"agent": "wren", "text": text},
	}, nil).Into(limit(w.t), &answer)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer, operation
}

func awaitStarted(t *testing.T, e *editor.Editor, matches func(started) bool) (s started) {
	t.Helper()
	_, err := e.Notifications.Await(limit(t), func(n editor.Notification) bool {
		s = started{}
		return n.Method == "sidefork/started" && json.Unmarshal(n.Params, &s) == nil && matches(s)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnAgentInTmuxOutlivesItsEditorAndGetsItsDraft(t *testing.T) {
	t.Parallel()
	w := withTmux(t)
	w.more = []string{"WREN_EXTRA=only for the agent", "TMUX=/nowhere,1,0"}
	e := w.edit()
	answer, operation := w.forkOf(e, "feature/x.y", "CODEWORD-PETREL\x1b[201~\rquit\r", "tmux")
	if answer.Launch.Tmux != "feature-x-y" || answer.Launch.Argv != nil || answer.Session.Agent != "wren" || answer.Draft != "" || len(answer.Warnings) > 0 {
		t.Errorf("the fork: %+v", answer)
	}
	s := awaitStarted(t, e, func(s started) bool { return s.Session != nil })
	if s.OperationID != operation || s.Session.Agent != "wren" || s.Session.ID != answer.Session.ID || s.PID == 0 {
		t.Errorf("it has started as %+v", s)
	}
	keys := until(t, "the draft", func() (string, bool) {
		text, _ := os.ReadFile(w.log)
		return string(text), strings.HasSuffix(string(text), "\x1b[201~")
	})
	if !strings.HasPrefix(keys, "\x1b[200~") || strings.Count(keys, "\x1b") != 2 || strings.Contains(keys, "\r") || !strings.Contains(keys, "CODEWORD-PETREL") {
		t.Errorf("the agent got %q", keys)
	}
	if status, err := e.Quit(limit(t)); err != nil || status != 0 {
		t.Errorf("the sidecar ended with %d, %v", status, err)
	}

	// Nothing of the environment or of the text is where others may read it.
	for _, args := range [][]string{{"show-environment", "-g"}, {"list-panes", "-a", "-F", "#{pane_start_command}"}} {
		if said, err := w.tmux(args...); err != nil || strings.Contains(said, "WREN") || strings.Contains(said, "PETREL") {
			t.Errorf("tmux %q says %s (%v)", args, said, err)
		}
	}
	w.isPrivate()
	for _, left := range []string{"draft", "launch.json"} {
		if files, _ := filepath.Glob(filepath.Join(w.home, ".local/state/sidefork/terminals/*", left)); files != nil {
			t.Errorf("%q is left", files)
		}
	}

	if out, _, status := w.sidefork("attach", "feature-x-y"); status != 0 || !strings.Contains(out, "wren in "+answer.Workspace.Path) || !strings.Contains(out, "CODEWORD-PETREL") {
		t.Errorf("its screen, %d: %s", status, out)
	}
	terminal := w.open("sidefork", "attach")
	terminal.await("CODEWORD-PETREL")
	terminal.press("\x1dd") // detach
	terminal.await("detached")
	terminal.exits(0)
	terminal = w.open("sidefork", "attach", "feature-x-y")
	terminal.await("CODEWORD-PETREL")
	terminal.press("quit\r")
	terminal.await("the agent has ended with exit status 7")
	terminal.exits(1)
	if out, _, status := w.sidefork("attach"); status != 0 || !strings.Contains(out, "There are no agents in tmux.") {
		t.Errorf("at last, %d: %s", status, out)
	}
	if _, errs, status := w.sidefork("attach", "feature-x-y"); status != 3 || !strings.Contains(errs, "terminalUnknown") {
		t.Errorf("one that is not there, %d: %s", status, errs)
	}
}

func TestWhatAnAgentSaysInsteadOfStartingIsTold(t *testing.T) {
	t.Parallel()
	w := withTmux(t)
	w.more = []string{"WREN_FAILS=No conversation found with session ID: 7"}
	e := w.edit()
	w.forkOf(e, "fails", "some text", "tmux")
	s := awaitStarted(t, e, func(s started) bool { return s.Warning != nil })
	if s.Warning.Code != "startFailed" || !strings.Contains(s.Warning.Message, "exit status 4") || !strings.Contains(s.Warning.Message, "No conversation found with session ID: 7") {
		t.Errorf("%+v", s.Warning)
	}

	w.more = []string{"WREN_ASKS=Do you trust the files in this folder?"}
	e = w.edit()
	answer, _ := w.forkOf(e, "asks", "some text", "tmux")
	s = awaitStarted(t, e, func(s started) bool { return s.Warning != nil })
	if s.Warning.Code != "startWaits" || !strings.Contains(s.Warning.Message, "Do you trust the files in this folder?") {
		t.Errorf("%+v", s.Warning)
	}
	if said, err := w.tmux("send-keys", "-t", "="+answer.Launch.Tmux+":", "Enter"); err != nil {
		t.Fatal(err, said)
	}
	until(t, "the draft once the question is answered", func() (string, bool) {
		text, _ := os.ReadFile(w.log)
		return string(text), strings.HasSuffix(string(text), "\x1b[201~")
	})
}

func TestWithoutTmuxNothingIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	only := filepath.Join(w.top, "only")
	if err := os.Mkdir(only, 0o755); err != nil {
		t.Fatal(err)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(git, filepath.Join(only, "git")); err != nil {
		t.Fatal(err)
	}
	w.more = []string{"PATH=" + w.bin + ":" + only}
	e := w.edit()
	call := e.Execute("sidefork.fork", map[string]any{
		"operationId": uuid.NewString(), "workspace": w.repo, "name": "x", "launch": "tmux", "transcript": map[string]string{"agent": "wren", "text": "t"},
	}, nil)
	var answer any
	err = call.Into(limit(t), &answer)
	if err == nil || !strings.Contains(err.Error(), "tmux") {
		t.Errorf("the answer is %v, %v", answer, err)
	}
	if said, err := exec.CommandContext(context.Background(), "git", "-C", w.repo, "branch", "--list", "x").Output(); err != nil || len(said) > 0 {
		t.Errorf("there is a branch: %s %v", said, err)
	}
	if _, err := os.Stat(filepath.Join(w.home, ".local/state/sidefork/terminals")); err == nil {
		t.Error("there are records")
	}
}

func TestATextThatAClientBringsIsItsOwnToPasteWhereWeCannot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.more = []string{"XDG_STATE_HOME=/dev/null/nowhere"} // there is no place for a record
	e := w.edit()
	answer, _ := w.forkOf(e, "child", "what it showed\x1b[31m", "client")
	if !strings.HasSuffix(answer.Draft, "\n\nwhat it showed\n") || len(answer.Launch.Argv) != 1 || filepath.Base(answer.Launch.Argv[0]) != "wren" {
		t.Errorf("the fork: %+v", answer)
	}
}

func TestALongDraftComesWholeAndTheLastOfALongerOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.edit()
	const line = "a line of what an agent has shown\n"
	answer, _ := w.forkOf(e, "child", "the first line\n"+strings.Repeat(line, 4000)+"the last line", "client") // more than a draft, and than the kernel holds
	p, err := ptydrive.Start(ptydrive.Program{Argv: answer.Launch.Argv, Dir: answer.Workspace.Path, Env: w.environment()})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t, p}
	t.Cleanup(s.close)
	s.await("the last line")
	keys := w.keys()
	if !strings.HasSuffix(keys, "\nthe last line\x1b[201~") || strings.Contains(keys, "the first line") || !strings.Contains(keys, "earlier lines were left out]\n"+line) ||
		len(keys) < 60<<10 || len(keys) > 66<<10 {
		t.Errorf("%d bytes: %.300q … %q", len(keys), keys, keys[max(0, len(keys)-60):])
	}
}
