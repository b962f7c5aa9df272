package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// TestAClientThatHasAskedIsToldOfWhatIsNew: of sessions once it has listed sessions, of workspaces once it has listed those.
func TestAClientThatHasAskedIsToldOfWhatIsNew(t *testing.T) {
	defer goleak.VerifyNone(t)
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.invalid",
		"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.invalid", "CLAUDE_CONFIG_DIR": "", "CODEX_HOME": "",
	} {
		t.Setenv(name, value)
	}
	app := filepath.Join(home, "app")
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", args, err)
		} else if len(out) > 0 && args[0] != "-C" {
			t.Log(string(out))
		}
	}
	git("init", "-q", "-b", "main", app)
	git("-C", app, "commit", "-q", "--allow-empty", "-m", "one")

	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	told := make(chan string, 1000)
	env := &Env{
		Memory: &Memory{}, Background: func(f func(context.Context)) { running.Go(func() { f(ctx) }) },
		Notify: func(method string, params any) {
			if method == "sidefork/changed" {
				told <- params.(ChangedParams).What
			}
		},
	}
	ask := func(command, argument string) any {
		t.Helper()
		result, failed := Run(t.Context(), env, command, json.RawMessage(argument), nil)
		if failed != nil {
			t.Fatalf("%s: %+v", command, failed)
		}
		return result
	}
	await := func(what string) {
		t.Helper()
		for got := range told {
			if got == what {
				return
			}
		}
	}
	cwd, _ := json.Marshal(app)
	sessions := func() int {
		t.Helper()
		return len(ask("sidefork.sessions", `{"workspace":`+string(cwd)+`}`).(SessionsResult).Sessions)
	}
	add := func(path, format string, args ...any) {
		t.Helper()
		path = filepath.Join(home, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	claude := func(n int) {
		t.Helper()
		add(fmt.Sprintf(".claude/projects/%s/00000000-0000-4000-8000-%012d.jsonl", strings.NewReplacer("/", "-", "_", "-", ".", "-").Replace(app), n),
			`{"type":"user","cwd":%q,"uuid":"u","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":"hello"}}`+"\n", app)
	}

	if n := sessions(); n != 0 {
		t.Fatalf("%d sessions", n)
	}
	// Of a store that was not there, of a new session in it, of one of an agent whose store was not there either. Between a
	// folder and what comes into it the client has asked again, as it is told to.
	if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	await("sessions")
	for i, step := range []func(){
		func() { claude(1) },
		func() { claude(2) },
		func() {
			add(".codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-3309aa6e-79d4-40b8-818f-70e5ac72c124.jsonl",
				`{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"3309aa6e-79d4-40b8-818f-70e5ac72c124","cwd":%q,"source":"cli"}}`+"\n", app)
		},
	} {
		before := sessions()
		step()
		for sessions() != before+1 {
			await("sessions")
		}
		if before != i {
			t.Errorf("step %d: %d sessions before it", i, before)
		}
	}

	workspaces := func() []Workspace {
		t.Helper()
		return ask("sidefork.workspaces", `{"folders":[`+string(cwd)+`]}`).(WorkspacesResult).Repositories[0].Workspaces
	}
	if all := workspaces(); len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	git("-C", app, "worktree", "add", "-q", "-b", "child", filepath.Join(home, "child"))
	for len(workspaces()) != 2 {
		await("workspaces")
	}
	git("-C", filepath.Join(home, "child"), "switch", "-q", "-c", "other")
	for workspaces()[1].Branch != "other" {
		await("workspaces")
	}
}

// TestNothingIsWatchedForAClientThatDoesNotStay: a command line asks once.
func TestNothingIsWatchedForAClientThatDoesNotStay(t *testing.T) {
	for _, env := range []*Env{{}, {Memory: &Memory{}}, {Memory: &Memory{}, Notify: func(string, any) {}}} {
		if env.sessionFolders() != nil {
			t.Errorf("%+v watches", env)
		}
		env.watchRepository(t.TempDir())
	}
}

// TestOfManyChangesTheClientIsToldOnce and soon of names, though writes go on.
func TestOfManyChangesTheClientIsToldOnce(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	told := make(chan struct{}, 1000)
	w := teller{names: make(chan struct{}, 1), writes: make(chan struct{}, 1), tell: func() { told <- struct{}{} }}
	for i := range 1000 {
		w.changed(i%10 == 0)
	}
	go w.run(ctx)
	<-told
	if n := len(told); n != 0 {
		t.Errorf("told %d times more", n)
	}
}
