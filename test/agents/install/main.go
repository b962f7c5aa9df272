// Command install puts the real agents of pinned/versions.json into the project's cache, from npm, so that the tests can
// run them:
//
//	go run ./test/agents/install
//
// It needs node 20 or newer and npm, downloads only what is missing, and may run several times at once. Nothing is
// written outside the cache: not npm's own cache, nothing in HOME.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/sidefork/sidefork/test/agents/pinned"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := installAll(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

func installAll(ctx context.Context) error {
	agents, err := pinned.Agents()
	if err != nil {
		return err
	}
	cache, err := pinned.Cache()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(cache, "agents"), 0o755); err != nil {
		return err
	}
	for _, a := range agents {
		if err := install(ctx, a, cache); err != nil {
			return fmt.Errorf("%s@%s: %w", a.Package, a.Version, err)
		}
	}
	return nil
}

// install makes a's folder appear, whole or not at all.
func install(ctx context.Context, a pinned.Agent, cache string) error {
	folder := a.Folder(cache)
	if exists(folder) { // in a cache that may be somebody else's, and read-only
		return nil
	}
	lock := flock.New(folder + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if exists(folder) {
		return nil
	}
	fmt.Printf("installing %s@%s into %s\n", a.Package, a.Version, folder)
	// While the lock is held, whatever an earlier run that was killed has left is nobody's.
	building := folder + ".part"
	if err := os.RemoveAll(building); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(building) }()
	if err := os.MkdirAll(building, 0o755); err != nil {
		return err
	}
	npmCache := filepath.Join(building, "npm-cache")
	if err := command(ctx, building, "npm", "install", "--prefix", building, "--cache", npmCache,
		"--ignore-scripts", "--engine-strict=false", "--no-audit", "--no-fund", "--no-update-notifier",
		"--loglevel=error", "--save-exact", a.Package+"@"+a.Version); err != nil {
		return err
	}
	if err := os.RemoveAll(npmCache); err != nil {
		return err
	}
	if err := checkIntegrity(a, building); err != nil {
		return err
	}
	if a.AfterInstall != "" {
		if err := command(ctx, building, "node", a.AfterInstall); err != nil {
			return err
		}
	}
	if err := checkVersion(ctx, a, building); err != nil {
		return err
	}
	return os.Rename(building, folder)
}

func exists(folder string) bool {
	_, err := os.Stat(folder)
	return err == nil
}

// command runs a program of node's, with what it says shown only when it fails.
func command(ctx context.Context, dir, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said)
	}
	return nil
}

// checkIntegrity compares what npm says it installed with what versions.json allows.
func checkIntegrity(a pinned.Agent, folder string) error {
	data, err := os.ReadFile(filepath.Join(folder, "node_modules", ".package-lock.json"))
	if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]struct {
			Integrity string `json:"integrity"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return err
	}
	for place, installed := range lock.Packages {
		if want, listed := a.Integrity[place]; listed && installed.Integrity != want {
			return fmt.Errorf("%s has the hash %s, but versions.json wants %s", place, installed.Integrity, want)
		}
	}
	return nil
}

// checkVersion runs the program once, in an empty home.
func checkVersion(ctx context.Context, a pinned.Agent, folder string) error {
	home, err := os.MkdirTemp("", "sidefork-install-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(home) }()
	c := exec.CommandContext(ctx, filepath.Join(pinned.Bin(folder), a.Name), "--version")
	c.Dir = home
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "CODEX_HOME=" + home}
	said, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s --version: %w\n%s", a.Name, err, said)
	}
	if !strings.Contains(string(said), a.Version) {
		return fmt.Errorf("%s --version said %q", a.Name, said)
	}
	fmt.Printf("%s", said)
	return nil
}
