//go:build agents && unix

package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/test/editor"
	"github.com/sidefork/sidefork/test/ptydrive"
)

// useTmux gives the world a tmux of its own.
func (w *world) useTmux() {
	w.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		w.t.Skip("tmux is not installed")
	}
	w.variables["TMUX_TMPDIR"] = w.top
	w.t.Cleanup(func() {
		if err := ptydrive.EndTmux("sidefork", w.terminal(), patience); err != nil {
			w.t.Error(err)
		}
	})
}

// running is what sidefork/started says.
type running struct {
	Session struct{ Agent, ID string }
	PID     int
	Warning *struct{ Code, Message, Detail string }
}

// forkInTmux forks a session by an editor, which it gives too.
func (w *world) forkInTmux(parent, name, prompt string) (f forked, tmux string, e *editor.Editor) {
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
		Launch struct{ Tmux string }
	}
	if err := e.Execute("sidefork.fork", map[string]any{
		"operationId": uuid.NewString(), "workspace": w.repo, "name": name, "launch": "tmux", "prompt": prompt,
		"session": map[string]string{"agent": w.agent.name, "id": parent},
	}, nil).Into(w.ctx, &answer); err != nil {
		w.t.Fatal(err)
	}
	return answer.forked, answer.Launch.Tmux, e
}

// awaitStarted awaits a sidefork/started.
func (w *world) awaitStarted(e *editor.Editor, matches func(running) bool) (s running) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if _, err := e.Notifications.Await(ctx, func(m editor.Notification) bool {
		s = running{}
		return m.Method == "sidefork/started" && json.Unmarshal(m.Params, &s) == nil && matches(s)
	}); err != nil {
		w.t.Fatal(err)
	}
	return s
}

func TestClaudeRunsInTmuxWithoutAWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, claude())
	w.useTmux()
	const word = "CODEWORD-DUNLIN9"
	parent := w.say(w.repo, "", "Please remember "+word)
	before := w.told(parent)

	f, name, e := w.forkInTmux(parent, "child", "")
	started := w.awaitStarted(e, func(s running) bool { return true })
	if status, err := e.Quit(w.ctx); err != nil || status != 0 { // the agent goes on
		t.Errorf("the sidecar ended with status %d, %v", status, err)
	}
	if started.Warning != nil || started.Session.ID != f.Session.ID || started.PID == 0 {
		t.Errorf("it has started as %+v; the fork is %+v", started, f)
	}
	for _, args := range [][]string{{"show-environment", "-g"}, {"list-panes", "-a", "-F", "#{pane_start_command}"}} {
		if said := w.run(w.home, "tmux", append([]string{"-L", "sidefork"}, args...)...); strings.Contains(said, claudeKey) {
			t.Errorf("tmux %q tells the key", args)
		}
	}
	terminal := w.open(w.home, w.terminal(), []string{os.Getenv(sideforkVariable), "attach", name})
	terminal.await(word)
	terminal.enter("Which codeword was it?")
	w.proveTurn(f, parent, "Which codeword was it?", word)
	if w.told(parent) != before {
		t.Error("the parent's transcript was changed")
	}
	if listed := w.session(f.Workspace.Path, f.Session.ID); listed.State != "live" || listed.PID != started.PID {
		t.Errorf("the child is listed as %+v", listed)
	}
}

// mishap is what may keep an agent from its work.
type mishap struct {
	name, prompt string
	happen       func(w *world, parent string)
	code, words  string // of the warning
}

func TestWhatARealAgentSaysInsteadOfStartingIsTold(t *testing.T) {
	of := map[string][]mishap{
		"claude": {
			{"untrusted", "", func(w *world, _ string) {
				write(w.t, filepath.Join(w.home, ".claude.json"), fmt.Sprintf(`{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":[%q],"rejected":[]}}`, claudeKey[len(claudeKey)-20:]))
			}, "startWaits", "Is this a project you created or one you trust?"},
			{"unapproved", "", func(w *world, _ string) {
				write(w.t, filepath.Join(w.home, ".claude.json"), fmt.Sprintf(`{"hasCompletedOnboarding":true,"theme":"dark","projects":{%q:{"hasTrustDialogAccepted":true}}}`, w.repo))
			}, "startWaits", "Do you want to use this API key?"},
			{"keyless", "Is anybody there?", withoutKey("ANTHROPIC_API_KEY="), "notLoggedIn", "Not logged in"},
			{"gone", "", losesItsParent, "startFailed", "No conversation found with session ID: "},
		},
		"codex": {
			{"untrusted", "", func(w *world, _ string) {
				write(w.t, filepath.Join(w.account, "config.toml"), fmt.Sprintf(codexConfig, w.api.URL, filepath.Join(w.top, "elsewhere")))
			}, "startWaits", "Trust this folder?"},
			{"accountless", "", func(w *world, _ string) {
				write(w.t, filepath.Join(w.account, "config.toml"), fmt.Sprintf("[projects.%q]\ntrust_level = \"trusted\"\n", w.repo))
			}, "notLoggedIn", "Sign in with ChatGPT"},
			{"keyless", "Is anybody there?", withoutKey("FAKE_KEY="), "notLoggedIn", "Missing environment variable: `FAKE_KEY`"},
			{"gone", "", losesItsParent, "startFailed", "No saved session found with ID "},
		},
	}
	forEachAgent(t, func(t *testing.T, w *world) {
		w.useTmux()
		parent := w.say(w.repo, "", "Please remember that CODEWORD-TERN6 is not logged in, no API key, [y/n]")
		environment := w.agent.environment
		for _, m := range of[w.agent.name] {
			w.agent.account(w, w.account)
			w.agent.environment = environment
			m.happen(w, parent)
			_, _, e := w.forkInTmux(parent, m.name, m.prompt)
			s := w.awaitStarted(e, func(s running) bool { return s.Warning != nil })
			if s.Warning.Code != m.code || !strings.Contains(s.Warning.Message, m.words) || strings.Contains(s.Warning.Message, "TERN6") {
				t.Errorf("%s: %+v", m.name, s.Warning)
			}
			t.Logf("%s: %s: %s", m.name, s.Warning.Code, s.Warning.Message)
			if m.prompt != "" && s.Session.ID == "" { // it was up before
				w.awaitStarted(e, func(s running) bool { return s.Session.ID != "" })
			}
			if status, err := e.Quit(w.ctx); err != nil || status != 0 {
				t.Errorf("the sidecar ended with status %d, %v", status, err)
			}
		}
	})
}

// withoutKey takes the account's key from the person's terminal.
func withoutKey(key string) func(*world, string) {
	return func(w *world, _ string) {
		with := w.agent.environment
		w.agent.environment = func(w *world) []string {
			return slices.DeleteFunc(with(w), func(pair string) bool { return strings.HasPrefix(pair, key) })
		}
	}
}

// losesItsParent has the parent go between the fork and the agent's start.
func losesItsParent(w *world, parent string) {
	program, bin := find(w.terminal(), w.agent.name), filepath.Join(w.top, "bin")
	script := fmt.Sprintf("#!/bin/sh\ncase $1 in --version) ;; *) rm -f '%s' '%s'/*.sqlite* ;; esac\nexec '%s' \"$@\"\n", w.transcript(parent), w.account, program)
	write(w.t, filepath.Join(bin, w.agent.name), script)
	if err := os.Chmod(filepath.Join(bin, w.agent.name), 0o700); err != nil {
		w.t.Fatal(err)
	}
	w.variables["PATH"] = bin + string(os.PathListSeparator) + strings.TrimPrefix(w.terminal()[0], "PATH=")
}
