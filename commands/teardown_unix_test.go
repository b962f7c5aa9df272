//go:build unix

package commands

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestATeardownIsEndedWithAllThatItHasStarted: by a cancel, after which the workspace stands and nobody says that nothing
// was done; and by its limit, after which the folder goes all the same.
func TestATeardownIsEndedWithAllThatItHasStarted(t *testing.T) {
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
	top, child, fifo := filepath.Join(home, "app"), filepath.Join(home, "child"), filepath.Join(home, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	up, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	// It, and a job of its that does not listen to SIGTERM, have the FIFO open for as long as they run.
	waits, _ := json.Marshal(map[string]string{"teardown": "exec 3>'" + fifo + "'; (trap '' TERM; while :; do sleep 1; done) & echo said; echo up >&3; while :; do sleep 1; done"})
	for _, args := range [][]string{{"init", "-q", "-b", "main", top}, {"-C", top, "commit", "-q", "--allow-empty", "-m", "one"}, {"-C", top, "worktree", "add", "-q", "-b", "child", child}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(child, ".sidefork.json"), waits, 0o600); err != nil {
		t.Fatal(err)
	}
	cwd, _ := json.Marshal(child)
	var seen struct{ Setup struct{ Hash string } }
	if err := json.Unmarshal([]byte(asks(t, home, "sidefork.inspect", `{"workspace":`+string(cwd)+`}`)), &seen); err != nil {
		t.Fatal(err)
	}
	asks(t, home, "sidefork.trust", `{"workspace":`+string(cwd)+`,"hash":"`+seen.Setup.Hash+`"}`)
	env := &Env{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	argument := json.RawMessage(`{"workspace":` + string(cwd) + `,"force":["uncommitted"]}`)
	gone := func() {
		t.Helper()
		if err := up.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
		for buffer := make([]byte, 64); ; {
			if _, err := up.Read(buffer); err != nil {
				if os.IsTimeout(err) {
					t.Error("something of the teardown still runs")
				}
				return
			}
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for buffer := make([]byte, 64); ; {
			if n, _ := up.Read(buffer); n > 0 {
				return
			}
			select { // nobody has opened it yet
			case <-ctx.Done():
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	_, failed := Run(ctx, env, "sidefork.remove", argument, nil)
	gone()
	if failed == nil || failed.Reason.Code != "teardownCancelled" || failed.Effect != Kept || !strings.Contains(failed.Detail, "said") {
		t.Errorf("%+v", failed)
	}
	if _, err := os.Lstat(filepath.Join(child, ".sidefork.json")); err != nil {
		t.Error(err)
	}

	env.Settings.Setup.TimeLimit = 1
	result, failed := Run(t.Context(), env, "sidefork.remove", argument, nil)
	gone()
	if r, ok := result.(*RemoveResult); failed != nil || !ok || len(r.Warnings) != 1 || r.Warnings[0].Code != "teardownTooLong" {
		t.Errorf("%+v %+v", result, failed)
	}
	if _, err := os.Lstat(child); !os.IsNotExist(err) {
		t.Errorf("the folder stands: %v", err)
	}
}
