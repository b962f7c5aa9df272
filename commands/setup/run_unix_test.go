//go:build unix

package setup

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func ran(t *testing.T, ctx context.Context, limit time.Duration, dir string, commands ...string) (Result, string) {
	t.Helper()
	log, err := NewLog(filepath.Join(t.TempDir(), "setup"), "op")
	must(t, err)
	defer log.Close()
	if info, err := log.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log is %v %v", info.Mode(), err)
	}
	r := Run(ctx, commands, Place{Root: "/r", Parent: "/p", Child: dir, Branch: "b", Port: FreePorts(1)[0]}, limit, log)
	return r, Tail(log)
}

func TestASetupRunsInTheChildAndStopsAtTheFirstThatFails(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_DIR", "/elsewhere")
	r, said := ran(t, context.Background(), time.Minute, dir,
		`echo "$PWD $SIDEFORK_PARENT_PATH $SIDEFORK_BRANCH [$GIT_DIR] $ROOT_WORKTREE_PATH" >seen; test "$SIDEFORK_PORT" -gt 0; read x || echo no input >&2`,
		"false\necho not here", "touch never")
	text, err := os.ReadFile(filepath.Join(dir, "seen"))
	must(t, err)
	if want := dir + " /p b [] /r\n"; string(text) != want {
		t.Errorf("it saw %q, want %q", text, want)
	}
	if r.Exit != 1 || r.Err != nil || r.Late || !strings.Contains(said, "no input") || strings.Contains(said, "\nnot here") {
		t.Errorf("%+v\n%s", r, said)
	}
	if _, err := os.Lstat(filepath.Join(dir, "never")); !errors.Is(err, os.ErrNotExist) {
		t.Error("it went on after a command that failed")
	}
}

// waiting is a setup that runs these words and then for ever, with a background job that does not listen to SIGTERM; up gives a line when
// both run, and gone waits until nobody has the FIFO open any more.
func waiting(t *testing.T, words string) (command string, up *os.File, gone func()) {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "fifo")
	must(t, syscall.Mkfifo(fifo, 0o600))
	up, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	must(t, err)
	t.Cleanup(func() { up.Close() })
	command = "exec 3>'" + fifo + "'; " + words + "; (trap '' TERM; echo job >&3; while :; do sleep 1; done) & echo up >&3; while :; do sleep 1; done"
	return command, up, func() {
		t.Helper()
		must(t, up.SetReadDeadline(time.Now().Add(30*time.Second)))
		for buffer := make([]byte, 64); ; {
			if _, err := up.Read(buffer); err != nil {
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error("something of the setup still runs")
				}
				return
			}
		}
	}
}

func TestACancelEndsAllThatASetupHasStarted(t *testing.T) {
	defer goleak.VerifyNone(t)
	command, up, gone := waiting(t, "trap '' TERM")
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		for lines, n := bufio.NewReader(up), 0; n < 2; {
			if _, err := lines.ReadString('\n'); err == nil {
				n++
			} else {
				time.Sleep(time.Millisecond) // nobody has opened it for writing yet
			}
		}
	}()
	if r, _ := ran(t, ctx, time.Hour, t.TempDir(), command); !errors.Is(r.Err, context.Canceled) || r.Late {
		t.Errorf("%+v", r)
	}
	gone()
}

func TestASetupThatTakesTooLongIsEndedWithAllThatItHasStarted(t *testing.T) {
	defer goleak.VerifyNone(t)
	command, _, gone := waiting(t, ":")
	if r, _ := ran(t, context.Background(), 300*time.Millisecond, t.TempDir(), command); !r.Late || r.Err != nil || r.Exit != -1 {
		t.Errorf("%+v", r)
	}
	gone()
}

func TestFreePortsAreNoTwoTheSame(t *testing.T) {
	seen := map[string]bool{}
	for _, port := range FreePorts(16) {
		if port == "" || seen[port] {
			t.Errorf("%q, after %v", port, seen)
		}
		seen[port] = true
	}
}
