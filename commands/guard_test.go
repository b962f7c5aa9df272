package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// asks runs a command for a user with this home and gives its answer as it travels.
func asks(t *testing.T, home, name, argument string) string {
	t.Helper()
	env := &Env{Getenv: func(name string) string { return map[string]string{"HOME": home, "USERPROFILE": home}[name] }}
	result, failed := Run(t.Context(), env, name, json.RawMessage(argument), nil)
	var answer any = result
	if failed != nil {
		answer = failed
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestGuardAnswersWithAReasonAndRefusesAWrongArgument(t *testing.T) {
	const id = "3309aa6e-79d4-40b8-818f-70e5ac72c124"
	home := t.TempDir()
	// A codex session that something has open, though nobody knows what: it may run, on any system.
	for path, text := range map[string]string{
		"sessions/2026/05/01/rollout-2026-05-01T10-00-00-" + id + ".jsonl": `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"` + id + `","cwd":"/w","source":"cli"}}` + "\n",
		"thread-writer-locks/" + id + ".lock":                              "",
	} {
		path = filepath.Join(home, ".codex", filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for argument, want := range map[string]string{
		`{"command":"codex resume ` + id + `","shell":"posix"}`:          `{"allowed":false,"reason":{"code":"sessionMaybeInUse",`,
		`{"command":"& 'codex' resume ` + id + `","shell":"powershell"}`: `{"allowed":false,"reason":{"code":"sessionMaybeInUse",`,
		`{"command":"codex resume --last","shell":"cmd"}`:                `{"allowed":false,"reason":{"code":"resumeMayConflict",`,
		`{"command":"codex resume $X","shell":"posix"}`:                  `{"allowed":false,"reason":{"code":"resumeMayConflict",`,
		`{"command":"$X","shell":"posix"}`:                               `{"allowed":false,"reason":{"code":"resumeUnclear",`,
		`{"command":"codex fork ` + id + `","shell":"posix"}`:            `{"allowed":true}`,
		`{"command":"","shell":"posix"}`:                                 `{"allowed":true}`,
		`{"command":"x","shell":"fish"}`:                                 `{"reason":{"code":"invalidArgument",`,
		`{"command":"x"}`:                                                `{"reason":{"code":"invalidArgument",`,
		`{"command":"x","shell":"cmd","shel":"cmd"}`:                     `{"reason":{"code":"invalidArgument",`,
	} {
		if got := asks(t, home, "sidefork.guard", argument); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s…", argument, got, want)
		}
	}
}

func TestLocateAnswersNullWhereNothingRuns(t *testing.T) {
	want := "null"
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		want = `{"reason":{"code":"processesUnknown"`
	}
	if got := asks(t, t.TempDir(), "sidefork.locate", `{"pid":1073741824}`); !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
	for _, argument := range []string{`{}`, `{"pid":0}`, `{"pid":-1}`, `{"pid":"x"}`} {
		if got := asks(t, t.TempDir(), "sidefork.locate", argument); !strings.HasPrefix(got, `{"reason":{"code":"invalidArgument"`) {
			t.Errorf("%s: %s", argument, got)
		}
	}
}
