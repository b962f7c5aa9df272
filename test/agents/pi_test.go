//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/test/fakeapi"
)

func pi() agent {
	return agent{
		name: "pi", variable: "PI_CODING_AGENT_DIR", folder: filepath.Join(".pi", "agent"), start: fakeapi.StartOpenAI,
		account: func(w *world, folder string) {
			write(w.t, filepath.Join(folder, "settings.json"), `{"defaultProvider":"fake","defaultModel":"fake-model"}`)
			write(w.t, filepath.Join(folder, "models.json"), fmt.Sprintf(
				`{"providers":{"fake":{"baseUrl":"%s/v1","api":"openai-completions","apiKey":"fake","models":[{"id":"fake-model"}]}}}`, w.api.URL))
		},
		environment: func(*world) []string { return []string{"PI_OFFLINE=1"} },
		once: func(resume, prompt string) []string {
			if resume != "" {
				return []string{"pi", "--session", resume, "-p", prompt}
			}
			return []string{"pi", "-p", prompt}
		},
		talk:        []string{"pi"},
		ready:       "fake-model",
		transcripts: func(id string) string { return filepath.Join("sessions", "*", "*_"+id+".jsonl") },
		isTurn:      isChat,
		who:         whoOfPi,
		where: func(r fakeapi.Request) string {
			const note = "Current working directory: "
			_, dir, _ := strings.Cut(firstMessage(r), note)
			dir, _, _ = strings.Cut(dir, "\n")
			return dir
		},
		checkTranscript: checkPiTranscript,
	}
}

// chat is a request for a chat completion, as far as the tests look at it.
type chat struct {
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
}

func isChat(r fakeapi.Request) bool { return strings.HasSuffix(r.Path, "/chat/completions") }

// firstMessage is the agent's instruction of the model.
func firstMessage(r fakeapi.Request) (text string) {
	var c chat
	if json.Unmarshal(r.Body, &c) == nil && len(c.Messages) > 0 {
		_ = json.Unmarshal(c.Messages[0].Content, &text)
	}
	return text
}

// lastPrompt is the newest text of a person, as it stands in the request.
func lastPrompt(r fakeapi.Request) string {
	var c chat
	if json.Unmarshal(r.Body, &c) != nil {
		return ""
	}
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == "user" {
			return string(c.Messages[i].Content)
		}
	}
	return ""
}

// piHeader is the first line of a session's file.
type piHeader struct{ Type, ID, Cwd, ParentSession string }

func headerOf(t testing.TB, file string) (h piHeader, rest string) {
	t.Helper()
	first, rest, _ := strings.Cut(read(t, file), "\n")
	_ = json.Unmarshal([]byte(first), &h) // else it is being written
	return h, rest
}

// whoOfPi is the session of a turn: pi does not name it in its requests, but writes down what it was asked, in a file that
// names its folder.
func whoOfPi(w *world, r fakeapi.Request) string {
	for {
		files, _ := filepath.Glob(filepath.Join(w.account, "sessions", "*", "*.jsonl"))
		for _, file := range files {
			h, rest := headerOf(w.t, file)
			if h.Cwd == w.agent.where(r) && strings.Contains(rest, lastPrompt(r)) {
				return h.ID
			}
		}
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("no session in %s has %s", w.agent.where(r), lastPrompt(r))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// checkPiTranscript holds pi to what is known of its forks: the first line names the child, its folder and its parent's
// file.
func checkPiTranscript(t testing.TB, file, parent, child, dir string) {
	t.Helper()
	if h, _ := headerOf(t, file); h.Type != "session" || h.ID != child || h.Cwd != dir || !strings.HasSuffix(h.ParentSession, "_"+parent+".jsonl") {
		t.Errorf("the child's file begins %+v", h)
	}
}
