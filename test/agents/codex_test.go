//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/fakeapi"
)

const codexConfig = `model = "fake-model"
model_provider = "fake"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "read-only"
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "%s/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects.%q]
trust_level = "trusted"
`

// noDaemon is any -c: with none, the first Codex at a terminal copies itself into CODEX_HOME and leaves a daemon running.
const noDaemon = "check_for_update_on_startup=false"

func codex() agent {
	cwd := regexp.MustCompile(`<cwd>([^<]*)</cwd>`)
	return agent{
		name: "codex", variable: "CODEX_HOME", folder: ".codex", start: fakeapi.StartOpenAI,
		account: func(w *world, folder string) {
			write(w.t, filepath.Join(folder, "config.toml"), fmt.Sprintf(codexConfig, w.api.URL, w.repo))
		},
		environment: func(*world) []string { return []string{"FAKE_KEY=fake"} },
		once: func(resume, prompt string) []string {
			if resume != "" {
				return []string{"codex", "exec", "resume", resume, prompt}
			}
			return []string{"codex", "exec", prompt}
		},
		talk:        []string{"codex", "-c", noDaemon},
		ready:       "OpenAI Codex",
		transcripts: func(id string) string { return filepath.Join("sessions", "*", "*", "*", "rollout-*-"+id+".jsonl") },
		isTurn: func(r fakeapi.Request) bool {
			return strings.HasSuffix(r.Path, "/responses") && strings.Contains(r.Headers["x-codex-turn-metadata"], `"thread_source":"user"`)
		},
		who: func(_ *world, r fakeapi.Request) string { return r.Headers["thread-id"] },
		where: func(r fakeapi.Request) string { // the newest of the notes; a fork has its parent's too
			all := cwd.FindAllStringSubmatch(string(r.Body), -1)
			if len(all) == 0 {
				return ""
			}
			return all[len(all)-1][1]
		},
		checkTranscript: checkCodexTranscript,
	}
}

// checkCodexTranscript holds Codex to what is known of its forks: the first line names the child, its folder and its
// parent.
func checkCodexTranscript(t testing.TB, file, parent, child, dir string) {
	t.Helper()
	first, _, _ := strings.Cut(read(t, file), "\n")
	var line struct {
		Type    string
		Payload struct {
			ID, Cwd      string
			ForkedFromID string `json:"forked_from_id"`
		}
	}
	if err := json.Unmarshal([]byte(first), &line); err != nil {
		t.Fatal(err)
	}
	p := line.Payload
	if line.Type != "session_meta" || p.ID != child || p.Cwd != dir || p.ForkedFromID != parent {
		t.Errorf("the child's rollout says %s %s in %s, forked from %s", line.Type, p.ID, p.Cwd, p.ForkedFromID)
	}
}
