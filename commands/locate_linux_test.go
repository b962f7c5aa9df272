package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestADialogOpenedFromATerminalStartsWithItsSession takes this process for a terminal's shell and for the agent in it.
func TestADialogOpenedFromATerminalStartsWithItsSession(t *testing.T) {
	const session, newer = "3309aa6e-79d4-40b8-818f-70e5ac72c124", "868e93ae-7368-43d4-ace0-4d5af9031a36"
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo, store, bin := filepath.Join(top, "app"), filepath.Join(top, ".claude"), filepath.Join(top, "bin")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(repo, "file"), "x\n")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "one"}, {"worktree", "add", "-q", "-b", "other", filepath.Join(top, "other")}} {
		git := exec.Command("git", args...)
		git.Dir = repo
		git.Env = append(os.Environ(), "HOME="+top, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.invalid",
			"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.invalid", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write(filepath.Join(bin, "claude"), "#!/bin/sh\necho '2.1.332 (Claude Code)'\n")
	folder := filepath.Join(store, "projects", strings.NewReplacer("/", "-", "_", "-", ".", "-").Replace(repo))
	for day, id := range []string{session, newer} {
		write(filepath.Join(folder, id+".jsonl"), fmt.Sprintf(`{"type":"user","isSidechain":false,"cwd":%q,"sessionId":%q,"uuid":"u","timestamp":"2026-05-0%dT10:00:00Z","message":{"role":"user","content":"hello"}}`+"\n", repo, id, day+1))
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	start := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])[19]
	write(filepath.Join(store, "sessions", fmt.Sprintf("%d.json", os.Getpid())), fmt.Sprintf(`{"pid":%d,"sessionId":%q,"procStart":%q,"status":"idle"}`, os.Getpid(), session, start))

	env := &Env{Getenv: func(name string) string {
		return map[string]string{"HOME": top, "PATH": bin + ":" + os.Getenv("PATH")}[name]
	}}
	for pid, want := range map[int]string{os.Getpid(): session, 1 << 30: "", 0: ""} {
		argument := fmt.Sprintf(`{"workspace":%q,"pid":%d}`, repo, pid)
		result, failed := Run(t.Context(), env, "sidefork.inspect", json.RawMessage(argument), nil)
		if failed != nil {
			t.Fatalf("%s: %+v", argument, failed)
		}
		got := ""
		if chosen := result.(Inspection).Preselected; chosen != nil {
			got = chosen.ID
		}
		if got != want {
			t.Errorf("%s: preselected %q, want %q", argument, got, want)
		}
	}
	for pid, want := range map[int]string{os.Getpid(): "claude:" + session, 1 << 30: "none", 0: "claude:" + newer} {
		argument := fmt.Sprintf(`{"workspace":%q,"pid":%d}`, repo, pid)
		form, _, failed := Resolve(t.Context(), env, ResolveParams{Command: "sidefork.fork", Arguments: []json.RawMessage{json.RawMessage(argument)}})
		if failed != nil {
			t.Fatalf("%s: %+v", argument, failed)
		}
		if f := form.FormFields[0]; f.Default != want || f.Type.Entries[0].Value != want || len(f.Type.Entries) != 3 {
			t.Errorf("%s: the form has %+v, want %s", argument, f, want)
		}
	}
	// Where that agent is at work, nothing is forked into.
	argument := fmt.Sprintf(`{"workspace":%q,"worktree":{"existing":%q}}`, filepath.Join(top, "other"), repo)
	result, failed := Run(t.Context(), env, "sidefork.plan", json.RawMessage(argument), nil)
	if failed != nil {
		t.Fatalf("%s: %+v", argument, failed)
	}
	if no := result.(*Plan).Refusals; len(no) != 1 || no[0].Code != "workspaceBusy" {
		t.Errorf("%s: %+v", argument, no)
	}
}
