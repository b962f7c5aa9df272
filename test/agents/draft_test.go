//go:build agents && unix

package agents_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/test/editor"
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
		terminal.await(word, "[Pasted text #1 +3 lines]", "[Pasted ~4 lines]") // as Claude Code and opencode show more than two lines
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
	}, opencode(), pi())
}
