//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/sidefork/sidefork/test/fakeapi"
)

const claudeKey = "sk-test-0000000000000000000000"

func claude() agent {
	return agent{
		name: "claude", variable: "CLAUDE_CONFIG_DIR", folder: ".claude", start: fakeapi.StartAnthropic,
		account: func(w *world, folder string) {
			settings := map[string]any{
				"hasCompletedOnboarding": true,
				"theme":                  "dark",
				"customApiKeyResponses":  map[string]any{"approved": []string{claudeKey[len(claudeKey)-20:]}, "rejected": []string{}},
				"projects":               map[string]any{w.repo: map[string]any{"hasTrustDialogAccepted": true}},
			}
			text, err := json.Marshal(settings)
			if err != nil {
				w.t.Fatal(err)
			}
			if folder == filepath.Join(w.home, ".claude") {
				folder = w.home // the settings of the default account lie beside it
			}
			write(w.t, filepath.Join(folder, ".claude.json"), string(text))
		},
		environment: func(w *world) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + w.api.URL, "ANTHROPIC_API_KEY=" + claudeKey,
				"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			}
		},
		once: func(resume, prompt string) []string {
			argv := []string{"claude", "-p", prompt}
			if resume != "" {
				argv = append(argv, "--resume", resume)
			}
			return argv
		},
		talk:        []string{"claude"},
		ready:       "(shift+tab to cycle)",
		transcripts: func(id string) string { return filepath.Join("projects", "*", id+".jsonl") },
		isTurn:      func(r fakeapi.Request) bool { return strings.HasPrefix(r.Path, "/v1/messages?") },
		who:         func(_ *world, r fakeapi.Request) string { return r.Headers["x-claude-code-session-id"] },
		where: func(r fakeapi.Request) string { // the newest of the notes: a fork has its parent's too
			const note = "Primary working directory: "
			at := strings.LastIndex(string(r.Body), note)
			if at < 0 {
				return ""
			}
			dir, _, _ := strings.Cut(string(r.Body[at+len(note):]), `\n`)
			dir, _, _ = strings.Cut(dir, " (was ")
			return dir
		},
		checkTranscript: checkClaudeTranscript,
	}
}

// checkClaudeTranscript holds Claude Code to what is known of its forks: the file lies in the child's own project folder,
// and every line in it that names a session or a folder names the child.
func checkClaudeTranscript(t testing.TB, file, _, child, dir string) {
	t.Helper()
	if got, want := filepath.Base(filepath.Dir(file)), claudeFolder(dir); got != want {
		t.Errorf("the child's transcript lies in %s, not in %s", got, want)
	}
	for line := range strings.Lines(read(t, file)) {
		var entry struct{ SessionID, Cwd string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			continue // being written
		}
		if entry.SessionID != "" && entry.SessionID != child || entry.Cwd != "" && entry.Cwd != dir {
			t.Errorf("a line of the child's transcript is of %s in %s", entry.SessionID, entry.Cwd)
		}
	}
}

// claudeFolder is the name of the folder that Claude Code keeps the sessions of a folder in (of no more than 200 units).
func claudeFolder(dir string) string {
	var name []byte
	for _, unit := range utf16.Encode([]rune(dir)) {
		if c := byte(unit); unit < 128 && (c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') {
			name = append(name, c)
		} else {
			name = append(name, '-')
		}
	}
	return string(name)
}
