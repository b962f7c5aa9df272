//go:build agents && unix

// Package agents_test is the proof with real agents: Claude Code, Codex, opencode and pi, from npm, hold conversations with a fake API
// on loopback, sidefork forks them, and what the forks ask of the API shows whose conversation they continue.
//
// Every test has a home, a temp folder, a repository and an API of its own. See README.md for how to run them.
package agents_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sidefork/sidefork/test/agents/pinned"
	"github.com/sidefork/sidefork/test/ptydrive"
)

// sideforkVariable names the sidefork under test to the process that runs the tests.
const sideforkVariable = "SIDEFORK_UNDER_TEST"

// TestMain builds sidefork, then runs the tests in a process that has, where the system lets it, no network but
// loopback, below one that sees what they leave running.
func TestMain(m *testing.M) {
	if os.Getenv(sideforkVariable) != "" {
		os.Exit(inside(m))
	}
	status, err := outside()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func outside() (status int, err error) {
	if err := agentsAreInstalled(); err != nil {
		return 1, err
	}
	folder, err := os.MkdirTemp("", "sidefork-agents-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	sidefork := filepath.Join(folder, "sidefork")
	project, err := pinned.Project()
	if err != nil {
		return 1, err
	}
	build := exec.Command("go", "build", "-o", sidefork, "./cmd/sidefork")
	build.Dir = project
	if said, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("go build: %w\n%s", err, said)
	}
	again := func() *exec.Cmd {
		c := exec.Command(os.Args[0], os.Args[1:]...)
		c.Env = append(os.Environ(), sideforkVariable+"="+sidefork)
		c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
		return c
	}
	status, err = runIsolated(again)
	return max(status, processesLeft()), err
}

func agentsAreInstalled() error {
	agents, err := pinned.Agents()
	if err != nil {
		return err
	}
	cache, err := pinned.Cache()
	if err != nil {
		return err
	}
	for _, a := range agents {
		if _, err := os.Stat(filepath.Join(pinned.Bin(a.Folder(cache)), a.Name)); err != nil {
			return fmt.Errorf("%s %s is not installed: run `go run ./test/agents/install` first (%w)", a.Package, a.Version, err)
		}
	}
	return nil
}

func inside(m *testing.M) int {
	network, err := isolate()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("network:", network)
	return max(m.Run(), processesLeft())
}

// processesLeft is an exit status: 1 where something still runs that was started from here, which it ends.
func processesLeft() int {
	left, err := ptydrive.EndBelow()
	if err != nil || len(left) > 0 {
		fmt.Fprintf(os.Stderr, "processes that the tests have left: %q %v\n", left, err)
		return 1
	}
	return 0
}
