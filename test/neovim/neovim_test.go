//go:build linux

// Package neovim tests the Neovim plugin (editors/neovim): each test is a file of specs that mini.test runs in the oldest
// and in the newest Neovim, each spec in a Neovim of its own that talks to the real sidecar. `test/neovim/get` puts both
// where they are looked for. What real keys, a mouse and the real Claude Code do is in test/agents.
package neovim

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sidefork/sidefork/cmd/sidefork/cli"
	"github.com/sidefork/sidefork/test/agents/pinned"
	"github.com/sidefork/sidefork/test/ptydrive"
)

// asCommandLine makes this test binary sidefork.
const asCommandLine = "SIDEFORK_TEST_AS_COMMAND_LINE"

func TestMain(m *testing.M) {
	if os.Getenv(asCommandLine) != "" {
		os.Exit(cli.Main("0.0.0-test"))
	}
	// What loses its parent falls to this process, so that nothing which outlives its test is overlooked.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(max(m.Run(), processesLeft()))
}

// processesLeft is an exit status: 1 where something still runs that was started from here, which it ends. A sidecar has some
// seconds to see that its Neovim has gone.
func processesLeft() int {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if left, err := ptydrive.Below(os.Getpid()); err == nil && len(left) == 0 {
			return 0
		}
	}
	left, err := ptydrive.EndBelow()
	fmt.Fprintf(os.Stderr, "processes that the tests have left: %q %v\n", left, err)
	return 1
}

func TestNeovimForksByTheDialog(t *testing.T)                { specs(t, "fork") }
func TestNeovimOpensTheChildAsItIsSet(t *testing.T)          { specs(t, "open") }
func TestNeovimCancelsAndNothingIsLeft(t *testing.T)         { specs(t, "cancel") }
func TestNeovimSaysWhatBecameOfALostFork(t *testing.T)       { specs(t, "lost") }
func TestNeovimDisablesWhatCannotBeDone(t *testing.T)        { specs(t, "menu") }
func TestNeovimListsComparesAndRemoves(t *testing.T)         { specs(t, "lists") }
func TestNeovimShowsWordsAndInterpretsNone(t *testing.T)     { specs(t, "words") }
func TestNeovimForksOnAnotherMachine(t *testing.T)           { specs(t, "host") }
func TestNeovimSaysWhatIsMissing(t *testing.T)               { specs(t, "health") }
func TestNeovimForksWhatATerminalShowsAsADraft(t *testing.T) { specs(t, "draft") }

// specs runs the file of specs of that name in both Neovims.
func specs(t *testing.T, name string) {
	cache, err := pinned.Cache()
	if err != nil {
		t.Fatal(err)
	}
	project, err := pinned.Project()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"editors/neovim", "test/neovim/specs"} {
		mind(t, filepath.Join(project, filepath.FromSlash(folder)))
	}
	for _, version := range []string{"oldest", "newest"} {
		t.Run(version, func(t *testing.T) {
			program := filepath.Join(cache, "nvim", version, "nvim")
			if _, err := os.Stat(program); err != nil {
				t.Skip("nvim is not installed")
			}
			t.Parallel()
			runSpecs(t, program, project, filepath.Join(cache, "nvim", "newest", "root", "usr", "share", "neovim-mini.test"), name)
		})
	}
}

// mind reads what Neovim will read, so that go test does not take the result of an earlier Lua for that of this one.
func mind(t *testing.T, folder string) {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func runSpecs(t *testing.T, program, project, mini, name string) {
	// Not t.TempDir: Neovim puts sockets there, whose paths must be short.
	top, err := os.MkdirTemp("", "sf-")
	if err == nil {
		top, err = filepath.EvalSymlinks(top)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(top); err != nil {
			t.Error(err)
		}
	})
	folder := filepath.Join(project, "test", "neovim", "specs")
	c := exec.CommandContext(t.Context(), program, "--headless", "--clean", "-n", "--cmd", "set rtp^="+mini,
		"-l", filepath.Join(folder, "run.lua"), filepath.Join(folder, name+".lua"))
	c.WaitDelay = 10 * time.Second
	c.Dir = top
	c.Env = []string{
		"PATH=" + filepath.Join(top, "bin") + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(top, "home"), "TMPDIR=" + top,
		"LANG=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.invalid",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
		asCommandLine + "=1",
		"TEST_NVIM=" + program, "TEST_SIDEFORK=" + os.Args[0], "TEST_PLUGIN=" + filepath.Join(project, "editors", "neovim"),
		"TEST_SPECS=" + folder, "TEST_TOP=" + top, "TEST_TRANSCRIPT=" + filepath.Join(project, "test", "demo", "transcript.jsonl"),
	}
	if said, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, said)
	} else {
		t.Logf("%s", said)
	}
}
