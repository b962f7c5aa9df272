//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"os"
	"testing"
)

// Without a worktree of its own the fork is a session of its own all the same, in the parent's folder.
func TestForkInTheSameFolderIsASessionOfItsOwn(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word = "CODEWORD-HERON5"
		parent := w.say(w.repo, "", "Please remember "+word)
		before := w.told(parent)

		var f forked
		said := w.run(w.repo, os.Getenv(sideforkVariable), "fork", w.repo, "--same-folder", "--session", w.agent.name+":"+parent, "--json")
		if err := json.Unmarshal([]byte(said), &f); err != nil {
			t.Fatal(err)
		}
		if len(f.Warnings) != 1 || f.Warnings[0].Code != "sharedFolder" || f.Workspace.Path != w.repo {
			t.Errorf("%+v", f)
		}
		f.Warnings = nil
		w.check(f, parent)
		terminal := w.launch(f)
		terminal.await(word)
		terminal.enter("Which codeword was it?")
		w.proveTurn(f, parent, "Which codeword was it?", word)
		if w.told(parent) != before {
			t.Error("the parent's transcript was changed")
		}
	})
}
