//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// told is what a test needs of a turn in sidefork's list.
type toldTurn struct {
	ID, Role, Text string
	At             string
	Forecast       *struct {
		Tokens int64
		Source string
	}
	Reason *struct{ Code string }
}

// turns are a session's turns as sidefork lists them.
func (w *world) turns(id string) []toldTurn {
	w.t.Helper()
	var list struct{ Turns []toldTurn }
	out := w.run(w.repo, os.Getenv(sideforkVariable), "sessions", "--turns", "--session", w.agent.name+":"+id, "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		w.t.Fatal(err)
	}
	return list.Turns
}

func TestForkFromAnEarlierTurnKnowsNothingThatWasSaidLater(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const before, at, after = "CODEWORD-VIPER1", "CODEWORD-LLAMA2", "CODEWORD-SKUNK3"
		parent := w.say(w.repo, "", "The first is "+before)
		// The turn to fork at has a tool's call in it, where the agent takes one without a terminal.
		w.say(w.repo, parent, "The second is "+at+" RUN[echo of a tool]")
		w.say(w.repo, parent, "The third is "+after)

		turns := w.turns(parent)
		if len(turns) != 3 {
			t.Fatalf("the turns: %+v", turns)
		}
		for i, want := range []string{"The first is " + before, "The second is " + at, "The third is " + after} {
			if got := turns[i]; got.Role != "user" || !strings.HasPrefix(got.Text, want) || got.At == "" || got.Reason != nil || got.Forecast == nil || got.Forecast.Tokens == 0 {
				t.Errorf("turn %d: %+v", i, got)
			}
		}
		told := w.told(parent)
		const prompt = "Which codewords do you know?"
		f := w.fork(parent, "child", "--at", turns[1].ID, "--prompt", prompt)
		if f.Session.ID == "" {
			t.Error("the child's id is not known beforehand")
		}
		w.launch(f)
		w.proveTurn(f, parent, prompt, at)
		r := w.turn(prompt)
		if body := string(r.Body); !strings.Contains(body, before) || strings.Contains(body, after) {
			t.Errorf("the child's request has the word before: %v, the word after: %v", strings.Contains(body, before), strings.Contains(body, after))
		}
		if w.told(parent) != told {
			t.Error("the parent's transcript was changed")
		}
		if again := w.say(w.repo, parent, "And the parent goes on"); again != parent {
			t.Errorf("the parent went on as %s", again)
		}
		if !strings.Contains(string(w.turn("And the parent goes on").Body), after) {
			t.Error("the parent does not know any more what was said last")
		}
	})
}
