//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"os"
	"path/filepath"
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

// What was said before Claude Code summed a conversation up is still in its file: a fork from there has it whole.
func TestForkFromBeforeACompactionKnowsWhatWasSaidAndNoSummary(t *testing.T) {
	t.Parallel()
	w := newWorld(t, claude())
	const id, prompt = "3528a843-a115-444c-b5fb-a35c2334fb91", "What was said before?"
	text := strings.ReplaceAll(read(t, filepath.Join("..", "fixtures", "claude", "compacted.jsonl")), "/home/dev/src/main", w.repo)
	write(t, filepath.Join(w.account, "projects", claudeFolder(w.repo), id+".jsonl"), text)
	turns := w.turns(id)
	if len(turns) != 6 || turns[3].Role != "compaction" || turns[3].Reason == nil || turns[3].Reason.Code != "turnIsCompaction" {
		t.Fatalf("the turns: %+v", turns)
	}
	f := w.fork(id, "child", "--at", turns[1].ID, "--prompt", prompt)
	w.launch(f)
	r := w.turn(prompt)
	body := string(r.Body)
	for words, want := range map[string]bool{"one CODEWORD-CMP": true, `"two"`: true, `"three"`: false, `"four"`: false, "This session is being continued": false} {
		if strings.Contains(body, words) != want {
			t.Errorf("the request has %q: %v", words, !want)
		}
	}
	if w.told(id) != text {
		t.Error("the parent's transcript was changed")
	}
}
