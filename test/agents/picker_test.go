//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// converse has one turn at a terminal, which is closed then, and gives the session's id.
func (w *world) converse(dir, prompt string) string {
	w.t.Helper()
	person := w.open(dir, w.terminal(), append(slices.Clone(w.agent.talk), prompt))
	id := w.agent.who(w, w.turn(prompt))
	w.awaitTranscript(id, "RECALL")
	person.close()
	return id
}

// picker is the screen of an agent's own list.
type picker struct {
	w   *world
	dir string
}

func (w *world) pick(dir string, argv ...string) picker {
	w.t.Helper()
	p := picker{w, dir}
	p.tmux(append([]string{"new-session", "-d", "-s", "picker", "-x", "140", "-y", "45", "-c", dir, "--"}, argv...)...)
	return p
}

func (p picker) tmux(args ...string) string {
	p.w.t.Helper()
	return p.w.run(p.dir, "tmux", append([]string{"-L", "sidefork"}, args...)...)
}

// settle bounds how long a picker may take to show what it has: it may show more, or less, at first.
const settle = 20 * time.Second

// shows gives those of some words that it shows, from top to bottom: want, once it does, else what it shows in the end.
func (p picker) shows(words, want []string) (found []string) {
	p.w.t.Helper()
	for begun := time.Now(); ; {
		found = nil
		for line := range strings.Lines(p.tmux("capture-pane", "-p", "-t", "picker")) {
			for _, word := range words {
				if strings.Contains(line, word) {
					found = append(found, word)
				}
			}
		}
		if slices.Equal(found, want) || time.Since(begun) > settle {
			return found
		}
		select {
		case <-p.w.ctx.Done():
			return found
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// TestAListIsWhatTheAgentsOwnPickerShows compares a workspace's sessions with what the agent itself offers there. Its picker
// leaves out what was held without a terminal, which can be forked as well.
func TestAListIsWhatTheAgentsOwnPickerShows(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		w.useTmux()
		linked := w.top + "/linked"
		w.run(w.repo, "git", "worktree", "add", "-q", "-b", "linked", linked)
		first, headless, second, elsewhere := "CODEWORD-AUK1", "CODEWORD-BITTERN2", "CODEWORD-COOT3", "CODEWORD-DIPPER4"
		w.converse(w.repo, "Please remember "+first)
		w.say(w.repo, "", "Please remember "+headless)
		w.converse(w.repo, "Please remember "+second)
		w.converse(linked, "Please remember "+elsewhere)

		argv, wider := []string{"claude", "--resume"}, "C-w"
		if w.agent.name == "codex" {
			argv, wider = []string{"codex", "-c", noDaemon, "resume"}, "Right"
		}
		p := w.pick(w.repo, argv...)
		for _, scope := range []string{"workspace", "repository"} {
			if scope == "repository" {
				p.tmux("send-keys", "-t", "picker", wider)
			}
			var list struct{ Sessions []listed }
			if err := json.Unmarshal([]byte(w.run(w.repo, os.Getenv(sideforkVariable), "sessions", "--scope", scope, "--json")), &list); err != nil {
				t.Fatal(err)
			}
			var ours []string
			for _, s := range list.Sessions {
				if word := strings.TrimPrefix(s.FirstPrompt, "Please remember "); word != headless && s.FirstPrompt != "" {
					ours = append(ours, word)
				}
			}
			if len(ours) != map[string]int{"workspace": 2, "repository": 3}[scope] {
				t.Errorf("of the %s sidefork lists %q", scope, ours)
			}
			if theirs := p.shows([]string{first, headless, second, elsewhere}, ours); !slices.Equal(ours, theirs) {
				t.Errorf("of the %s sidefork lists %q, %s shows %q", scope, ours, w.agent.name, theirs)
			}
		}
	})
}
