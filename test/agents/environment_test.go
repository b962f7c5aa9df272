//go:build agents && unix

package agents_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/fakeapi"
)

// proveLaunch launches a fork that was given a prompt, and judges the turn which that made.
func (w *world) proveLaunch(f forked, parent, prompt, word string) {
	w.t.Helper()
	before := w.told(parent)
	w.launch(f)
	w.proveTurn(f, parent, prompt, word)
	if w.told(parent) != before {
		w.t.Error("the parent's transcript was changed")
	}
}

func TestForkStaysInTheAccountOfItsParent(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word, prompt = "CODEWORD-LEMUR5", "Which account is this?"
		w.useAccount(filepath.Join(w.top, "another account"))
		parent := w.say(w.repo, "", "Please remember "+word)
		f := w.fork(parent, "child", "--prompt", prompt)
		// The terminal that the child is opened in knows nothing of the account.
		delete(w.variables, w.agent.variable)
		w.proveLaunch(f, parent, prompt, word)
	}, pi())
}

func TestForkStaysInTheDefaultAccountOfItsParent(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word, prompt = "CODEWORD-TAPIR2", "Which account is this?"
		parent := w.say(w.repo, "", "Please remember "+word)
		f := w.fork(parent, "child", "--prompt", prompt)
		// The terminal that the child is opened in has another one.
		w.variables[w.agent.variable] = filepath.Join(w.top, "another account")
		w.proveLaunch(f, parent, prompt, word)
	})
}

// What an editor or a terminal has that was started from within a session of Claude Code.
func insideClaude(w *world) map[string]string {
	return map[string]string{
		"CLAUDECODE": "1", "CLAUDE_PID": "1", "CLAUDE_EFFORT": "medium", "AI_AGENT": "claude-code",
		"CLAUDE_ENV_FILE": filepath.Join(w.top, "no such file"), "CLAUDE_PROJECT_DIR": w.repo,
		"CLAUDE_CODE_CHILD_SESSION": "1", "CLAUDE_CODE_SESSION_ID": "00000000-0000-4000-8000-000000000000",
		"CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_EXECPATH": "/nowhere/claude",
		"CLAUDE_CODE_SESSION_ATTENDED": "1", "CLAUDE_CODE_CHILD_NOTES_DIR": filepath.Join(w.top, "no such folder"),
		"CLAUDE_CODE_MESSAGING_SOCKET": filepath.Join(w.top, "no such socket"), "CLAUDE_CODE_MESSAGING_TOKEN": "token",
	}
}

func TestForkFromWithinASessionWritesATranscriptOfItsOwn(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word, prompt = "CODEWORD-HERON4", "Is this written down?"
		parent := w.say(w.repo, "", "Please remember "+word)
		for name, value := range insideClaude(w) {
			w.variables[name] = value // of sidefork and of the child's terminal
		}
		f := w.fork(parent, "child", "--prompt", prompt)
		w.proveLaunch(f, parent, prompt, word) // which finds the transcript
	})
}

func TestPromptIsSentHoweverItBegins(t *testing.T) {
	forEachAgent(t, func(t *testing.T, w *world) {
		const word = "CODEWORD-STOAT9"
		parent := w.say(w.repo, "", "Please remember "+word)
		for name, prompt := range map[string]string{
			"plain": `what's "it"; $HOME ü?`, // to a shell it says something else
			"dash":  "--help is what I say",
		} {
			f := w.fork(parent, name, "--prompt", prompt)
			// As a person who pastes the command, not as a client that starts the argv.
			w.open(w.repo, w.terminal(), []string{"sh", "-c", f.Launch.CommandLine.POSIX})
			w.proveTurn(f, parent, quoted(prompt), word)
		}
	}, pi())
}

// Claude Code takes `claude … -- update` for its command update.
func TestPromptOfOneWordIsNoCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, claude())
	const word = "CODEWORD-GECKO1"
	parent := w.say(w.repo, "", "Please remember "+word)
	f := w.fork(parent, "child", "--prompt", "update")
	w.launch(f)
	r := w.await("turn of the child", func(r fakeapi.Request) bool { return w.agent.who(w, r) == f.Session.ID })
	t.Logf("the request that carried the codeword: %s", excerpt(r, word))
	if !strings.Contains(string(r.Body), word) {
		t.Errorf("the turn does not carry %s: %s", word, r.Line())
	}
	w.awaitTranscript(f.Session.ID, `"content":"update`)
}
