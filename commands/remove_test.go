package commands

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRemoveRefusesWhileAnAgentMayBeAtWork: a codex session of the workspace whose writer's lock is there, though nobody
// knows who holds it. Forced, it counts no more.
func TestRemoveRefusesWhileAnAgentMayBeAtWork(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.invalid",
		"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.invalid",
	} {
		t.Setenv(name, value)
	}
	top, child := filepath.Join(home, "app"), filepath.Join(home, "child")
	for _, args := range [][]string{{"init", "-q", "-b", "main", top}, {"-C", top, "commit", "-q", "--allow-empty", "-m", "one"}, {"-C", top, "worktree", "add", "-q", "-b", "child", child}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	const id = "3309aa6e-79d4-40b8-818f-70e5ac72c124"
	cwd, _ := json.Marshal(child)
	for path, text := range map[string]string{
		"sessions/2026/05/01/rollout-2026-05-01T10-00-00-" + id + ".jsonl": `{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"` + id + `","cwd":` + string(cwd) + `,"source":"cli"}}` + "\n",
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
	workspace := `{"workspace":` + string(cwd)
	for _, c := range []struct{ rest, want string }{
		{`}`, `{"reason":{"code":"agentMaybeLive"`},
		{`,"force":["everything"]}`, `{"reason":{"code":"invalidArgument"`},
		{`,"force":["mainCheckout"]}`, `{"reason":{"code":"invalidArgument"`},
		{`,"branches":true}`, `{"reason":{"code":"invalidArgument"`},
		{`,"force":["agentMaybeLive"]}`, `{"removed":` + string(cwd)},
	} {
		if got := asks(t, home, "sidefork.remove", workspace+c.rest); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s…", c.rest, got, c.want)
		}
	}
}

func TestAdoptWantsAParentToBeSaid(t *testing.T) {
	for argument, want := range map[string]string{
		`{"workspace":"/w"}`:             "parent is missing",
		`{"workspace":"/w","parent":""}`: "neither a path nor null",
		`{"workspace":"/w","parent":1}`:  "neither a path nor null",
		`{"parent":null}`:                "workspace is missing",
	} {
		if got := asks(t, t.TempDir(), "sidefork.adopt", argument); !strings.Contains(got, want) {
			t.Errorf("%s: %s", argument, got)
		}
	}
}
