//go:build agents && unix

package agents_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sidefork/sidefork/test/ptydrive"
)

// awaitStatus waits until a session that runs has a status.
func (w *world) awaitStatus(id, want string) (l listed) {
	w.t.Helper()
	for l = w.session(w.repo, id); l.State != "live" || l.Status != want; l = w.session(w.repo, id) {
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("it never is %q: %+v", want, l)
		case <-time.After(100 * time.Millisecond):
		}
	}
	return l
}

func TestTheStatusOfASessionIsWhatTheRealAgentDoes(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		resume := append([]string{}, w.agent.talk...)
		waiting, question := "waiting", "Do you want to proceed?"
		if w.agent.name == "codex" {
			// Its rollout is the same while it asks for leave and while the tool runs.
			waiting, question = "", "Would you like to run the following command?"
			config := strings.Replace(fmt.Sprintf(codexConfig, w.api.URL, w.repo), `"never"`, `"on-request"`, 1)
			write(t, filepath.Join(w.account, "config.toml"), config)
			resume = append(resume, "resume")
		} else {
			w.agent.talk = append(w.agent.talk, "--permission-mode", "default")
			w.agent.ready = "? for shortcuts"
			resume = append(resume, "--resume")
		}
		person := w.open(w.repo, w.terminal(), w.agent.talk)
		person.await(w.agent.ready)
		person.enter("Please remember CODEWORD-EGRET2")
		id := w.agent.who(w, w.turn("Please remember CODEWORD-EGRET2"))
		person.await("RECALL CODEWORD-EGRET2")
		w.awaitTranscript(id, "RECALL CODEWORD-EGRET2")
		w.awaitStatus(id, "idle")

		person.enter("Take your time HOLD[answer]")
		w.turn("HOLD[answer]")
		w.awaitStatus(id, "busy")
		w.api.Release("answer")
		person.await("RECALL CODEWORD-EGRET2")
		w.awaitStatus(id, "idle")

		person.enter("Please do ASK[touch touched]")
		person.await(question)
		w.awaitStatus(id, waiting)
		for !w.carries("call_output") && !w.carries("tool_result") { // Claude Code does not take a key at once
			if err := person.pty.Press(ptydrive.Enter); err != nil { // yes
				t.Fatal(err)
			}
			select {
			case <-w.ctx.Done():
				t.Fatal("the tool never runs")
			case <-time.After(300 * time.Millisecond):
			}
		}
		w.awaitStatus(id, "idle")

		// Killed in the middle of a turn, and taken up again.
		person.enter("And HOLD[for ever]")
		w.turn("HOLD[for ever]")
		if err := syscall.Kill(w.awaitStatus(id, "busy").PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		again := w.open(w.repo, w.terminal(), append(resume, id))
		again.await("RECALL CODEWORD-EGRET2")
		w.awaitStatus(id, "idle")
	})
}
