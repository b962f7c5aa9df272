//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/test/editor"
	"github.com/sidefork/sidefork/test/ptydrive"
)

// forkText forks a text that an editor brings along, and gives the fork and the editor.
func (w *world) forkText(text, launch string) (f forked, tmux string, e *editor.Editor) {
	w.t.Helper()
	sidecar := exec.Command(os.Getenv(sideforkVariable), "serve")
	sidecar.Dir, sidecar.Env = w.home, w.terminal()
	e, err := editor.Start(sidecar)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(e.Close)
	if _, err := e.Initialize(w.ctx, editor.Options{Folders: []string{w.repo}}); err != nil {
		w.t.Fatal(err)
	}
	var answer struct {
		forked
		Launch struct {
			Argv []string
			Cwd  string
			Env  map[string]*string
			Tmux string
		}
		Draft string
	}
	if err := e.Execute("sidefork.fork", map[string]any{
		"operationId": uuid.NewString(), "workspace": w.repo, "name": "child", "launch": launch,
		"transcript": map[string]string{"agent": w.agent.name, "text": text},
	}, nil).Into(w.ctx, &answer); err != nil {
		w.t.Fatal(err)
	}
	if answer.Draft != "" || len(answer.Warnings) > 0 {
		w.t.Errorf("the fork: %+v", answer)
	}
	f = answer.forked
	f.Launch.Argv, f.Launch.Cwd, f.Launch.Env = answer.Launch.Argv, answer.Launch.Cwd, answer.Launch.Env
	return f, answer.Launch.Tmux, e
}

// carries says whether the API was told a word, in any request.
func (w *world) carries(word string) bool {
	for _, r := range w.api.Requests() {
		if strings.Contains(string(r.Body), word) {
			return true
		}
	}
	return false
}

func TestADraftIsInThePromptAndNotSent(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word = "CODEWORD-SISKIN5"
		f, _, _ := w.forkText("an earlier line\x1b[201~\rand "+word, "client")
		terminal := w.launch(f)
		terminal.await(word, "[Pasted text #1 +3 lines]") // Claude Code shows more than two lines so
		if w.carries(word) {
			t.Error("the draft was sent")
		}
		terminal.enter(" So which codeword was it?")
		r := w.turn("So which codeword was it?")
		t.Logf("the request that carried the codeword: %s", excerpt(r, word))
		if !strings.Contains(string(r.Body), word) || !strings.Contains(string(r.Body), "an earlier line") {
			t.Errorf("what was entered does not carry the draft: %s", r.Line())
		}
		if got := w.agent.where(r); got != f.Workspace.Path {
			t.Errorf("the turn is in %q, not in the child %q", got, f.Workspace.Path)
		}
	})
}

func TestClaudeRunsInTmuxWithoutAWindow(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	w := newWorld(t, claude())
	w.variables["TMUX_TMPDIR"] = w.top
	t.Cleanup(func() {
		if err := ptydrive.EndTmux("sidefork", w.terminal(), patience); err != nil {
			t.Error(err)
		}
	})
	const word = "CODEWORD-DUNLIN9"
	parent := w.say(w.repo, "", "Please remember "+word)
	before := w.told(parent)

	f, name, started := w.forkInTmux(parent)
	if started.Session.ID != f.Session.ID || started.PID == 0 {
		t.Errorf("it has started as %+v; the fork is %+v", started, f)
	}
	for _, args := range [][]string{{"show-environment", "-g"}, {"list-panes", "-a", "-F", "#{pane_start_command}"}} {
		if said := w.run(w.home, "tmux", append([]string{"-L", "sidefork"}, args...)...); strings.Contains(said, claudeKey) {
			t.Errorf("tmux %q tells the key", args)
		}
	}
	terminal := w.open(w.home, w.terminal(), []string{os.Getenv(sideforkVariable), "attach", name})
	terminal.await(word)
	terminal.enter("Which codeword was it?")
	w.proveTurn(f, parent, "Which codeword was it?", word)
	if w.told(parent) != before {
		t.Error("the parent's transcript was changed")
	}
	if listed := w.session(f.Workspace.Path, f.Session.ID); listed.State != "live" || listed.PID != started.PID {
		t.Errorf("the child is listed as %+v", listed)
	}
}

// running is what sidefork/started says.
type running struct {
	Session struct{ Agent, ID string }
	PID     int
	Warning *struct{ Code, Message, Detail string }
}

// forkInTmux forks a session by an editor that ends as soon as the agent is up.
func (w *world) forkInTmux(parent string) (f forked, name string, s running) {
	w.t.Helper()
	sidecar := exec.Command(os.Getenv(sideforkVariable), "serve")
	sidecar.Dir, sidecar.Env = w.home, w.terminal()
	e, err := editor.Start(sidecar)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(e.Close)
	if _, err := e.Initialize(w.ctx, editor.Options{Folders: []string{w.repo}}); err != nil {
		w.t.Fatal(err)
	}
	var answer struct {
		forked
		Launch struct{ Tmux string }
	}
	if err := e.Execute("sidefork.fork", map[string]any{
		"operationId": uuid.NewString(), "workspace": w.repo, "name": "child", "launch": "tmux",
		"session": map[string]string{"agent": w.agent.name, "id": parent},
	}, nil).Into(w.ctx, &answer); err != nil {
		w.t.Fatal(err)
	}
	note, err := e.Notifications.Await(w.ctx, editor.IsMethod("sidefork/started"))
	if err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(note.Params, &s); err != nil || s.Warning != nil {
		w.t.Fatalf("sidefork/started said %s (%v)", note.Params, err)
	}
	if status, err := e.Quit(w.ctx); err != nil || status != 0 {
		w.t.Errorf("the sidecar ended with status %d, %v", status, err)
	}
	return answer.forked, answer.Launch.Tmux, s
}
