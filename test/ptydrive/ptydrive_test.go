//go:build unix

package ptydrive_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sidefork/sidefork/test/ptydrive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func shell(t *testing.T, script string) *ptydrive.Terminal {
	t.Helper()
	terminal, err := ptydrive.Start(ptydrive.Program{
		Argv: []string{"/bin/sh", "-c", script},
		Dir:  t.TempDir(),
		Env:  []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := terminal.Close(); err != nil {
			t.Error(err)
		}
	})
	return terminal
}

func limit(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func await(t *testing.T, terminal *ptydrive.Terminal, text string) {
	t.Helper()
	if _, err := terminal.Await(limit(t), text); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsTypedReachesTheProgramAndItsExitStatusComesBack(t *testing.T) {
	terminal := shell(t, `printf '\033[1mwhat is \033[3;9Hyour \033]0;a title\007name?\033(B\n'; read -r name; echo "hello $name ü"; exit 7`)
	await(t, terminal, "what is your name?")
	if err := terminal.Type(limit(t), "a b"); err != nil {
		t.Fatal(err)
	}
	if err := terminal.Press(ptydrive.Enter); err != nil {
		t.Fatal(err)
	}
	await(t, terminal, "hello a b ü")
	status, err := terminal.Wait(limit(t))
	if err != nil || status != 7 {
		t.Errorf("status %d, %v", status, err)
	}
	if strings.Contains(terminal.Shown(), "title") {
		t.Errorf("a title is shown: %s", terminal.Shown())
	}
}

func TestAwaitLooksOnlyAtWhatWasNotAwaitedYetAndCameAfterTheLastKey(t *testing.T) {
	terminal := shell(t, `stty -echo; echo one; echo three; echo one; echo four; read -r x; echo two; read -r y`)
	await(t, terminal, "one")
	if got, err := terminal.Await(limit(t), "four", "one"); err != nil || got != "one" {
		t.Errorf("got %q, %v", got, err)
	}
	await(t, terminal, "four")
	if err := terminal.Press(ptydrive.Enter); err != nil {
		t.Fatal(err)
	}
	if got, err := terminal.Await(limit(t), "one", "two"); err != nil || got != "two" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestAwaitFailsWhenTheProgramEnds(t *testing.T) {
	terminal := shell(t, `echo last words`)
	if _, err := terminal.Await(limit(t), "never"); err == nil || !strings.Contains(err.Error(), "lastwords") {
		t.Errorf("got %v", err)
	}
	await(t, terminal, "last words") // still there to be looked at
}

func TestQuestionsToTheTerminalAreAnswered(t *testing.T) {
	// The question comes in two writes.
	terminal := shell(t, `stty raw -echo; printf '\033['; printf '6n'; answer=$(dd bs=1 count=6 2>/dev/null | tail -c 5); stty sane; echo "cursor $answer"`)
	await(t, terminal, "cursor [1;1R")
}

func TestCloseEndsEverythingBelow(t *testing.T) {
	// One in the background, one in a session of its own, one that will not be told.
	file := filepath.Join(t.TempDir(), "pids")
	terminal := shell(t, `sleep 1001 & echo $! >>'`+file+`'
		setsid sleep 1002 & echo $! >>'`+file+`'
		(trap '' HUP TERM; sleep 1003) & echo $! >>'`+file+`'
		trap '' HUP; echo ready; wait`)
	await(t, terminal, "ready")
	pids, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	below, err := ptydrive.Below(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range strings.Fields(string(pids)) {
		if !slices.ContainsFunc(below, func(p string) bool { return strings.HasPrefix(p, pid+" ") }) {
			t.Errorf("%s is not among %q", pid, below)
		}
	}
	if err := terminal.Close(); err != nil {
		t.Error(err)
	}
	for _, pid := range strings.Fields(string(pids)) {
		if command, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && strings.Contains(string(command), "sleep") {
			t.Errorf("%s still runs: %q", pid, command)
		}
	}
}
