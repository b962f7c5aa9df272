//go:build agents && unix

package agents_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sidefork/sidefork/test/compare"
)

func TestForkCarriesTheConversationIntoTheChild(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word = "CODEWORD-ZEBRA7"
		parent := w.say(w.repo, "", "Please remember "+word)
		before := w.told(parent)

		f := w.fork(parent, "child", "--dir", filepath.Join(w.top, "the child ü"))
		if differences := compare.Trees(w.repo, f.Workspace.Path, compare.Options{Index: true}); len(differences) > 0 {
			t.Errorf("the child is not as its parent: %v", differences)
		}
		terminal := w.launch(f)
		terminal.await(word)
		terminal.enter("Which codeword was it?")
		w.proveTurn(f, parent, "Which codeword was it?", word)
		if w.told(parent) != before {
			t.Error("the parent's transcript was changed")
		}

		if w.agent.slow {
			return
		}
		if again := w.say(w.repo, parent, "And the parent goes on"); again != parent {
			t.Errorf("the parent went on as %s", again)
		}
	}, opencode(), pi())
}

func TestForkAtATerminalStartsTheAgentThere(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word = "CODEWORD-CRANE8"
		parent := w.say(w.repo, "", "Please remember "+word)
		before := w.told(parent)

		terminal := w.open(w.repo, w.terminal(), []string{os.Getenv(sideforkVariable), "fork", "--name", "child", "--latest"})
		terminal.await("proved equal") // before that sidefork shows the word, as the session's title
		terminal.await(word)
		terminal.enter("Which codeword was it?")
		var f forked
		f.Workspace.Path = w.repo + "-worktrees/child"
		child := w.proveTurn(f, parent, "Which codeword was it?", word)
		if w.told(parent) != before {
			t.Error("the parent's transcript was changed")
		}
		if listed := w.session(f.Workspace.Path, child); listed.State != "live" || !terminal.runs(listed.PID) {
			t.Errorf("the running child is listed as %+v", listed)
		}
	})
}
