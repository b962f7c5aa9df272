//go:build agents && unix

package agents_test

import "testing"

func TestForkOfARunningParentLeavesItAlone(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word = "CODEWORD-OKAPI3"
		person := w.open(w.repo, w.terminal(), w.agent.talk)
		person.await(w.agent.ready)
		person.enter("Please remember " + word)
		parent := w.agent.who(w, w.turn("Please remember "+word))
		person.await("RECALL " + word)
		file := w.awaitTranscript(parent, "RECALL "+word)

		// While the parent waits for its person.
		if listed := w.session(w.repo, parent); listed.State != "live" || !person.runs(listed.PID) {
			t.Errorf("the running parent is listed as %+v", listed)
		}
		before := w.settled(file)
		f := w.fork(parent, "of-idle")
		child := w.launch(f)
		child.await(word)
		child.enter("What does the child know?")
		w.proveTurn(f, parent, "What does the child know?", word)
		child.await("RECALL " + word)
		if read(t, file) != before {
			t.Error("the idle parent's transcript was changed")
		}
		child.close()

		// While the parent's turn is held in mid-answer.
		person.enter("Take your time HOLD[long turn]")
		w.turn("HOLD[long turn]")
		before = w.settled(file)
		f = w.fork(parent, "of-busy")
		child = w.launch(f)
		child.await(word)
		child.enter("What does the second child know?")
		w.proveTurn(f, parent, "What does the second child know?", word)
		child.await("RECALL " + word)
		if read(t, file) != before {
			t.Error("the busy parent's transcript was changed")
		}
		child.close()

		// The parent goes on as if nothing had been.
		w.api.Release("long turn")
		person.await("RECALL " + word)
		person.enter("And the parent goes on")
		if again := w.agent.who(w, w.turn("And the parent goes on")); again != parent {
			t.Errorf("the parent went on as %s", again)
		}
		w.awaitTranscript(parent, "And the parent goes on")

		person.close()
		if listed := w.session(w.repo, parent); listed.State == "live" {
			t.Errorf("the parent that has ended is listed as %+v", listed)
		}
	})
}
