//go:build agents && unix

package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/zed"
)

// TestTheZedTaskForksTheSessionOfAnotherTerminal: what Zed would run of our tasks.json, on a terminal and by keys.
func TestTheZedTaskForksTheSessionOfAnotherTerminal(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		if w.agent.name != "claude" {
			return // which keys a form takes is not the agent's
		}
		const word = "CODEWORD-LYNX6"
		w.say(w.repo, "", "Please remember CODEWORD-OTHER1")
		person := w.open(w.repo, w.terminal(), w.agent.talk)
		person.await(w.agent.ready)
		person.enter("Please remember " + word)
		parent := w.agent.who(w, w.turn("Please remember "+word))
		person.await("RECALL " + word)
		before := w.settled(w.awaitTranscript(parent, "RECALL "+word))
		w.say(w.repo, "", "Please remember CODEWORD-NEWER2") // a newer one, that runs nowhere

		tasks, err := zed.Tasks("../../editors/zed/tasks.json")
		if err != nil {
			t.Fatal(err)
		}
		task, _, err := tasks[1].Resolve(map[string]string{"ZED_WORKTREE_ROOT": w.repo})
		if err != nil {
			t.Fatal(err)
		}
		line, err := task.Line()
		if err != nil || !strings.HasSuffix(line, "--beside") {
			t.Fatalf("%q, %v", line, err)
		}
		bin := filepath.Join(w.top, "with sidefork")
		if err := os.Mkdir(bin, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(os.Getenv(sideforkVariable), filepath.Join(bin, "sidefork")); err != nil {
			t.Fatal(err)
		}
		env := w.terminal()
		env[0] = strings.Replace(env[0], "PATH=", "PATH="+bin+string(os.PathListSeparator), 1)
		terminal := w.open(task.Cwd, env, []string{"sh", "-c", line})
		terminal.await("Session to fork: claude · Please remember " + word)
		const early = "known now: Ctrl+S forks"
		for keys := "\x15child\x13"; ; keys = "\x13" { // the name, and Ctrl+S; again where it is too early
			if err := terminal.pty.Press(keys); err != nil {
				t.Fatal(err)
			}
			if terminal.await("proved equal", early) != early {
				break
			}
		}
		terminal.await(word)
		terminal.enter("Which codeword was it?")
		var f forked
		f.Workspace.Path = w.repo + "-worktrees/child"
		w.proveTurn(f, parent, "Which codeword was it?", word)
		terminal.await("RECALL " + word)
		if differences := compare.Trees(w.repo, f.Workspace.Path, compare.Options{Index: true}); len(differences) > 0 {
			t.Errorf("the child is not as its parent: %v", differences)
		}
		if w.told(parent) != before {
			t.Error("the parent's transcript was changed")
		}
	})
}
