package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEverySessionThatCannotBeForkedSaysWhyAndWhatToDo: the list gives code, sentence and remedy, and a plan says the same.
func TestEverySessionThatCannotBeForkedSaysWhyAndWhatToDo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins for the agents' programs are shell scripts")
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	app, far, bin := filepath.Join(home, "app"), filepath.Join(home, "gone"), filepath.Join(home, "bin")
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.invalid",
		"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.invalid", "CLAUDE_CONFIG_DIR": "", "CODEX_HOME": "", "PATH": bin + string(os.PathListSeparator) + os.Getenv("PATH"),
	} {
		t.Setenv(name, value)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main", app}, {"-C", app, "commit", "-q", "--allow-empty", "-m", "one"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", args, out)
		}
	}
	write := func(mode os.FileMode, path, format string, args ...any) {
		t.Helper()
		path = filepath.Join(home, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, format, args...), mode); err != nil {
			t.Fatal(err)
		}
	}
	id := func(n int) string { return fmt.Sprintf("01a22b74-0000-7000-8000-%012d", n) }
	claude := func(n int, cwd, line string) {
		write(0o600, fmt.Sprintf(".claude/projects/%s/%s.jsonl", strings.NewReplacer("/", "-", "_", "-", ".", "-").Replace(cwd), id(n)), "%s\n", line)
	}
	said := func(cwd string) string {
		return fmt.Sprintf(`{"type":"user","cwd":%q,"uuid":"u","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":"hello"}}`, cwd)
	}
	codex := func(n int, folder, more string) {
		write(0o600, fmt.Sprintf(".codex/%s/rollout-2026-05-01T10-00-00-%s.jsonl", folder, id(n)),
			`{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":%q,"cwd":%q%s}}`+"\n", id(n), app, more)
	}
	const day = "sessions/2026/05/01"
	write(0o700, "bin/claude", "#!/bin/sh\necho 2.1.332\n")
	write(0o700, "bin/codex", "#!/bin/sh\necho 0.171.0\n")
	write(0o700, "bin/opencode", "#!/bin/sh\necho 1.18.33\n")
	write(0o700, "bin/pi", "#!/bin/sh\necho 0.0.1\n")
	claude(1, app, `{"type":"queue-operation","cwd":"`+app+`"}`)
	claude(2, app, said(app)[:90])
	claude(3, far, said(far))
	codex(4, "archived_sessions", `,"source":"cli"`)
	codex(5, day, `,"source":{"subagent":"review"}`)
	codex(6, day, fmt.Sprintf(`,"source":"cli","history_base":{"thread_id":%q}`, id(99)))
	write(0o600, fmt.Sprintf(".pi/agent/sessions/--%s--/2026-05-01T10-00-00-000Z_%s.jsonl", strings.ReplaceAll(strings.Trim(app, "/"), "/", "-"), id(7)),
		`{"type":"session","version":3,"id":%q,"timestamp":"2026-05-01T10:00:00.000Z","cwd":%q}`+"\n"+`{"type":"message","id":"a","timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user","content":"hello"}}`+"\n", id(7), app)
	claude(8, app, said(app))

	env := &Env{Memory: &Memory{}}
	ask := func(command, argument string) any {
		t.Helper()
		result, failed := Run(t.Context(), env, command, json.RawMessage(argument), nil)
		if failed != nil {
			t.Fatalf("%s: %+v", argument, failed)
		}
		return result
	}
	workspace, _ := json.Marshal(app)
	check := func(agentName string, n int, code string, listed bool) {
		t.Helper()
		list := ask("sidefork.sessions", fmt.Sprintf(`{"workspace":%s,"scope":"all"}`, workspace)).(SessionsResult)
		var why *Reason
		found := false
		for _, s := range list.Sessions {
			if s.Agent == agentName && s.ID == id(n) {
				why, found = s.Fork.Reason, true
			}
		}
		plan := ask("sidefork.plan", fmt.Sprintf(`{"workspace":%s,"name":"try","session":{"agent":%q,"id":%q}}`, workspace, agentName, id(n))).(*Plan)
		switch {
		case found != listed:
			t.Errorf("%s %d: listed %v", agentName, n, found)
		case code == "" && (why != nil || len(plan.Refusals) != 0):
			t.Errorf("%s %d: %+v, %+v", agentName, n, why, plan.Refusals)
		case code == "":
		case len(plan.Refusals) != 1 || plan.Refusals[0].Code != code || plan.Refusals[0].Remedy == "" || plan.Refusals[0].Message == "":
			t.Errorf("%s %d: a plan says %+v", agentName, n, plan.Refusals)
		case listed && (why == nil || !cmp.Equal(*why, plan.Refusals[0])):
			t.Errorf("%s %d: the list says %+v, a plan %+v", agentName, n, why, plan.Refusals[0])
		}
	}
	for _, c := range []struct {
		agent  string
		n      int
		code   string
		listed bool
	}{
		{"claude", 1, "sessionEmpty", true},
		{"claude", 2, "sessionBroken", true},
		{"claude", 3, "sessionElsewhere", true},
		{"codex", 4, "sessionArchived", true},
		{"codex", 5, "sessionSubagent", false},
		{"codex", 6, "sessionParentGone", true},
		{"pi", 7, "agentTooOld", true},
		{"claude", 8, "", true},
		{"claude", 9, "sessionUnknown", false}, // deleted, or of an account that nobody has named
	} {
		check(c.agent, c.n, c.code, c.listed)
	}
	// Of the folder that is gone itself.
	gone, _ := json.Marshal(far)
	list := ask("sidefork.sessions", `{"workspace":`+string(gone)+`}`).(SessionsResult)
	if len(list.Sessions) != 1 || list.Sessions[0].Fork.Reason == nil || list.Sessions[0].Fork.Reason.Code != "missing" || list.Sessions[0].Fork.Reason.Remedy == "" {
		t.Errorf("of a folder that is gone: %+v", list)
	}
	if err := os.Remove(filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+"/usr/bin"+string(os.PathListSeparator)+"/bin")
	check("claude", 8, "agentNotInstalled", true)
}
