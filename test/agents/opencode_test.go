//go:build agents && unix

package agents_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/sessions/sqlite"
	"github.com/sidefork/sidefork/test/fakeapi"
)

const opencodeConfig = `{"autoupdate":false,"share":"disabled","model":"fake/fake-model","small_model":"fake/fake-model",
"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"fake","options":{"baseURL":"%s/v1","apiKey":"fake"},"models":{"fake-model":{"name":"fake-model"}}}}}`

func opencode() agent {
	return agent{
		name: "opencode", slow: true, variable: "XDG_DATA_HOME", folder: filepath.Join(".local", "share", "opencode"), start: fakeapi.StartOpenAI,
		account: func(w *world, _ string) {
			write(w.t, filepath.Join(w.home, ".config", "opencode", "opencode.json"), fmt.Sprintf(opencodeConfig, w.api.URL))
		},
		environment: func(*world) []string {
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_MODELS_FETCH=1"}
		},
		once: func(resume, prompt string) []string {
			argv := []string{"opencode", "run"}
			if resume != "" {
				argv = append(argv, "--session", resume)
			}
			return append(argv, prompt)
		},
		talk:  []string{"opencode"},
		ready: "fake-model",
		isTurn: func(r fakeapi.Request) bool { // and no title, which is asked for in the session's name too
			return isChat(r) && strings.Contains(firstMessage(r), "Working directory: ")
		},
		who: func(_ *world, r fakeapi.Request) string { return r.Headers["x-session-id"] },
		where: func(r fakeapi.Request) string {
			_, dir, _ := strings.Cut(firstMessage(r), "Working directory: ")
			dir, _, _ = strings.Cut(dir, "\n")
			return dir
		},
		record: recordOfOpencode,
		checkTranscript: func(t testing.TB, file, parent, child, dir string) {
			t.Helper()
			if got := directory(t, file, child); got != dir {
				t.Errorf("the child is stored for %q", got)
			}
			if got := directory(t, file, parent); got == dir {
				t.Errorf("the parent is stored for %q", got)
			}
		},
	}
}

// recordOfOpencode is all rows of a session, every column.
func recordOfOpencode(w *world, id string) (content, file string) {
	w.t.Helper()
	file = filepath.Join(w.account, "opencode.db")
	err := sqlite.Read(w.ctx, file, func(d *sqlite.Database) error {
		content = ""
		for _, of := range []struct{ table, by string }{{"session", "id"}, {"message", "session_id"}, {"part", "session_id"}} {
			if err := d.Where(of.table, of.by, id, d.Columns(of.table), func(row []sqlite.Value) bool {
				for _, v := range row {
					content += fmt.Sprintf("|%d %d %v %s", v.Kind, v.Int, v.Real, v.Bytes)
				}
				content += "\n"
				return true
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return content, file
}

func directory(t testing.TB, file, id string) (dir string) {
	t.Helper()
	err := sqlite.Read(t.Context(), file, func(d *sqlite.Database) error {
		return d.Where("session", "id", id, []string{"directory"}, func(row []sqlite.Value) bool {
			dir = row[0].String()
			return false
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
