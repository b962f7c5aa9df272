//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// forkOf forks a session of any workspace and says what sidefork knows of the agent's trust.
func (w *world) forkOf(workspace, session, name, prompt string) (f forked, trust string, asks bool) {
	w.t.Helper()
	out := w.run(workspace, os.Getenv(sideforkVariable), "fork", workspace, "--name", name, "--session", w.agent.name+":"+session, "--prompt", prompt, "--json")
	var said struct{ Launch struct{ Trust string } }
	for _, into := range []any{&f, &said} {
		if err := json.Unmarshal([]byte(out), into); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, warning := range f.Warnings {
		asks = asks || warning.Code == "agentAsks"
	}
	return f, said.Launch.Trust, asks
}

func TestAForkSaysWhetherItsAgentWillAskForTrust(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word, prompt = "CODEWORD-MOOSE4", "Does anybody ask?"
		parent := w.say(w.repo, "", "Please remember "+word)
		f, trust, asks := w.forkOf(w.repo, parent, "inherits", prompt)
		if trust != "inherited" || asks {
			t.Errorf("of a repository that is trusted: %q, asks: %v", trust, asks)
		}
		first := w.launch(f)
		w.proveTurn(f, parent, prompt, word)
		first.close() // it keeps its own copy of the settings, and writes that

		// Nobody has told this account to trust anything.
		settings, question := filepath.Join(w.home, ".claude.json"), "Accessingworkspace"
		if w.agent.name == "codex" {
			settings, question = filepath.Join(w.account, "config.toml"), "Trustandcontinue"
			write(t, settings, fmt.Sprintf(codexConfig, w.api.URL, filepath.Join(w.top, "elsewhere")))
		} else {
			w.agent.account(w, w.account)
			write(t, settings, fmt.Sprintf(`{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":[%q],"rejected":[]}}`, claudeKey[len(claudeKey)-20:]))
		}
		before := read(t, settings)
		f, trust, asks = w.forkOf(w.repo, parent, "is-asked", "Nobody reads this")
		if trust != "asks" || !asks {
			t.Errorf("of a repository that is not trusted: %q, asks: %v", trust, asks)
		}
		if read(t, settings) != before {
			t.Error("the agent's settings were changed")
		}
		terminal := w.launch(f)
		terminal.await(question)
		terminal.close()

		if w.agent.name != "codex" {
			return
		}
		// Codex trusts the parent's own folder, and that alone: so much is given to the child, for this start.
		linked := filepath.Join(w.top, "a linked one")
		w.run(w.repo, "git", "worktree", "add", "-q", "-b", "linked", linked)
		write(t, settings, fmt.Sprintf(codexConfig, w.api.URL, linked))
		const given = "Does anybody ask in the linked one?"
		parent = w.say(linked, "", "Please remember "+word+" here too")
		f, trust, asks = w.forkOf(linked, parent, "is-given", given)
		if trust != "given" || asks {
			t.Errorf("of a worktree that is trusted itself: %q, asks: %v", trust, asks)
		}
		terminal = w.launch(f)
		w.proveTurn(f, parent, given, word)
		terminal.close()
		if strings.Contains(read(t, settings), f.Workspace.Path) { // it writes other things there itself
			t.Error("Codex has saved something of the child")
		}
	})
}
