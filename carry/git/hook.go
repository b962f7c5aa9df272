package git

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/group"
)

// RunPostCheckout runs the repository's post-checkout hook at a new worktree's top level, as `git worktree add` would
// have: the null id, the commit, 1. stdout and stderr go to log. hookFile is where the hook is, for a git that has no
// `git hook` (before 2.36). left is what the hook has left running in the background.
func RunPostCheckout(ctx context.Context, dir, hookFile, oid string, log *os.File) (left group.Jobs, err error) {
	args := []string{NullID(oid), oid, "1"}
	err = Command{
		Dir: dir, Hooks: true, Log: log, Jobs: &left,
		Args: append([]string{"hook", "run", "--ignore-missing", "post-checkout", "--"}, args...),
	}.Run(ctx)
	if ExitStatus(err) != 1 || !before236(Version(ctx, dir)) { // 1 is also what an unknown subcommand ends with
		return left, err
	}
	if err := log.Truncate(0); err != nil {
		return left, err
	}
	if _, err := log.Seek(0, io.SeekStart); err != nil { // git's own words have moved the place that the hook writes at
		return left, err
	}
	cmd := exec.CommandContext(ctx, hookFile, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, Command{Hooks: true}.environment(), log, log
	group.Own(cmd)
	cmd.Cancel = func() error { return group.End(cmd, false) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	left = group.LeftBy(cmd)
	if ctx.Err() != nil {
		_ = group.End(cmd, true)
		return left, context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return left, &Error{Dir: dir, Args: []string{"post-checkout"}, Exit: exit.ExitCode(), Err: err}
	}
	return left, err
}

func before236(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	return err1 == nil && err2 == nil && (major < 2 || major == 2 && minor < 36)
}

// Environment is what a program of the repository gets that is run in a worktree, be it a hook or a setup: the sidecar's
// own, less what would send its git to another repository.
func Environment() []string { return Command{Hooks: true}.environment() }
