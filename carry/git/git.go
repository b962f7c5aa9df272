// Package git is the only place that runs git.
//
// A Command is one git process: built here, started here, with a folder, an environment and a context given to it,
// never a shell. Every one runs with fixed flags, so that a repository cannot choose what a read does (no hooks, no
// fsmonitor program, no bare repository that lies planted in a tracked folder, no optional lock, no display setting),
// and without the variables by which a hook or a tool would send it to another repository.
// Answers are NUL-separated and parsed once, in this package. git speaks C here; decide by exit status and by what is
// there afterwards, never by a message.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/group"
	"github.com/sidefork/sidefork/carry/pulse"
)

// Command describes one git process. The zero value of every field but Dir and Args is the safe one.
type Command struct {
	// Dir is the top level of the worktree that the command is about, or a folder inside it while that is not known yet.
	Dir string
	// Args are git's arguments from the subcommand on.
	Args []string
	// Index is a private index file to use instead of the worktree's own (GIT_INDEX_FILE).
	Index string
	// Stdin is written to the process and closed; nil is an empty input.
	Stdin io.Reader
	// Config are further `-c key=value` settings.
	Config []string
	// Hooks leaves the repository's and the user's hook settings, and the user's language, as they are: only for
	// `git hook run`, as the first act of setup, and for asking where a hook would be.
	Hooks bool
	// Log is a file that gets stdout and stderr directly, so that a job which git leaves in the background keeps nobody
	// waiting for a pipe. Output is then empty.
	Log *os.File
	// Held is an open file that the process, and what it starts, keep open: a lock which must outlive us while they run.
	Held *os.File
	// Refresh lets a reading command write back the file times that it found (an optional lock): only in a workspace
	// that this operation made.
	Refresh bool
	// Jobs, where it is given, becomes what the process has left running behind it.
	Jobs *group.Jobs

	before []string // options of git itself, between the fixed ones and the subcommand
}

// Error is a git process that ended with an exit status other than 0, or could not be run at all (Exit is -1).
type Error struct {
	Dir    string
	Args   []string
	Exit   int
	Stderr string // capped, for the log and for the `detail` of a failure; never to decide by
	Err    error
}

func (e *Error) Error() string {
	text := strings.TrimSpace(e.Stderr)
	if text == "" && e.Err != nil {
		text = e.Err.Error()
	}
	return fmt.Sprintf("git %s: exit %d: %s", strings.Join(e.Args, " "), e.Exit, text)
}

func (e *Error) Unwrap() error { return e.Err }

// ExitStatus is the exit status of a git process that failed, 0 for a nil error, and -1 for one that never ran.
func ExitStatus(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Exit
	}
	return -1
}

// fixed are the flags of every call (shared reasons in docs/carry.md, "Every git call").
var fixed = []string{
	"--literal-pathspecs",
	"-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.splitIndex=false",
	"-c", "safe.bareRepository=explicit", "-c", "status.showStash=false", "-c", "core.quotePath=false",
	"-c", "core.trustctime=true", "-c", "core.checkStat=default", "-c", "core.ignoreStat=false",
	"-c", "advice.detachedHead=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
}

const noHooks = "core.hooksPath=/dev/null"

// dropped are the variables that `git rev-parse --local-env-vars` lists (2.53), which send git to another repository,
// and those that make it print, run or interpret something else.
var dropped = map[string]bool{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_CONFIG": true, "GIT_CONFIG_PARAMETERS": true, "GIT_CONFIG_COUNT": true,
	"GIT_OBJECT_DIRECTORY": true, "GIT_DIR": true, "GIT_WORK_TREE": true, "GIT_IMPLICIT_WORK_TREE": true,
	"GIT_GRAFT_FILE": true, "GIT_INDEX_FILE": true, "GIT_NO_REPLACE_OBJECTS": true, "GIT_REPLACE_REF_BASE": true,
	"GIT_PREFIX": true, "GIT_INTERNAL_SUPER_PREFIX": true, "GIT_SHALLOW_FILE": true, "GIT_COMMON_DIR": true,
	"GIT_NAMESPACE": true, "GIT_CEILING_DIRECTORIES": true, "GIT_DISCOVERY_ACROSS_FILESYSTEM": true,
	"GIT_EXTERNAL_DIFF": true, "GIT_DIFF_OPTS": true, "GIT_LITERAL_PATHSPECS": true, "GIT_GLOB_PATHSPECS": true,
	"GIT_NOGLOB_PATHSPECS": true, "GIT_ICASE_PATHSPECS": true, "GIT_QUARANTINE_PATH": true, "GIT_REFLOG_ACTION": true,
	"GIT_DEFAULT_HASH": true, "GIT_ATTR_SOURCE": true, "GIT_INDEX_VERSION": true, "GIT_FLUSH": true,
	"GIT_PAGER": true, "PAGER": true, "LANGUAGE": true, "LC_ALL": true, "LANG": true, "LC_MESSAGES": true,
	"GIT_OPTIONAL_LOCKS": true, "GIT_TERMINAL_PROMPT": true, "GIT_REF_STORAGE": true, "GIT_SEQUENCE_EDITOR": true,
}

// language are the dropped variables that only choose words; a hook may have them.
var language = map[string]bool{"LANGUAGE": true, "LC_ALL": true, "LANG": true, "LC_MESSAGES": true, "PAGER": true}

func isDropped(name string) bool {
	return dropped[name] || strings.HasPrefix(name, "GIT_TRACE") || strings.HasPrefix(name, "GIT_CONFIG_KEY_") ||
		strings.HasPrefix(name, "GIT_CONFIG_VALUE_") || strings.HasPrefix(name, "GIT_TEST_")
}

// environment is what a git process gets: the sidecar's own, less what would redirect it.
func (c Command) environment() []string {
	env := make([]string, 0, 64)
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !isDropped(name) || c.Hooks && language[name] {
			env = append(env, kv)
		}
	}
	env = append(env, "GIT_TERMINAL_PROMPT=0")
	if !c.Hooks {
		env = append(env, "LC_ALL=C")
	}
	if c.Index != "" {
		env = append(env, "GIT_INDEX_FILE="+c.Index)
	}
	return env
}

// Argv is the whole command line, as a plan shows it: "git", the fixed flags, the arguments.
func (c Command) Argv() []string {
	argv := []string{"git"}
	if !c.Hooks { // they would reach the hook's own git calls through the environment
		if !c.Refresh {
			argv = append(argv, "--no-optional-locks")
		}
		argv = append(append(argv, fixed...), "-c", noHooks)
	}
	for _, kv := range c.Config {
		argv = append(argv, "-c", kv)
	}
	return append(append(argv, c.before...), c.Args...)
}

// Output runs the command to its end and gives what it wrote to stdout. A failed one gives an *Error (and what it had
// written); a cancelled context ends the process and gives the context's error.
func (c Command) Output(ctx context.Context) ([]byte, error) {
	var stdout bytes.Buffer
	err := c.run(ctx, &stdout)
	return stdout.Bytes(), err
}

// Run is Output for a command whose stdout does not matter.
func (c Command) Run(ctx context.Context) error { return c.run(ctx, io.Discard) }

func (c Command) run(ctx context.Context, stdout io.Writer) error {
	if !c.Hooks && tellsCase(c.Dir) {
		c.Config = append([]string{"core.ignoreCase=false"}, c.Config...)
	}
	argv := c.Argv()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout = c.Dir, c.environment(), c.Stdin, stdout
	stderr := &capped{limit: 16 << 10}
	cmd.Stderr = stderr
	if c.Log != nil {
		cmd.Stdout, cmd.Stderr = c.Log, c.Log
	}
	if c.Held != nil {
		cmd.ExtraFiles = []*os.File{c.Held}
	}
	// git cleans up after SIGTERM (lock files, half-made worktrees); SIGKILL only where it does not listen. The processes
	// that it started get both too: `worktree add` leaves its `reset` running, which goes on writing files.
	group.Own(cmd)
	cmd.Cancel = func() error { return group.End(cmd, false) }
	cmd.WaitDelay = 5 * time.Second
	pulse.Begin(ctx, "git "+strings.Join(c.Args[:min(len(c.Args), 2)], " "))
	err := cmd.Start()
	if err == nil {
		watched := watch(ctx, cmd)
		err = cmd.Wait()
		watched()
	}
	if ctx.Err() != nil {
		_ = group.End(cmd, true)
	}
	if c.Jobs != nil {
		*c.Jobs = group.LeftBy(cmd)
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	failed := &Error{Dir: c.Dir, Args: c.Args, Exit: -1, Stderr: stderr.String(), Err: err}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		failed.Exit = exit.ExitCode()
	}
	return failed
}

// watch says of a process that it goes on as long as it does anything; where that cannot be told, as long as it is there.
func watch(ctx context.Context, cmd *exec.Cmd) (end func()) {
	if !pulse.Listened(ctx) {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		var before uint64
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Second):
			}
			if now, known := group.Activity(cmd); !known || now != before {
				pulse.Beat(ctx)
				before = now
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		pulse.Beat(ctx)
	}
}

// tellsCase says whether the disk under a top level surely tells A from a. A setting that says otherwise, copied from
// another machine, would make git take one of two files for the other, in silence.
func tellsCase(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, ".GIT"))
	return errors.Is(err, fs.ErrNotExist)
}

// capped keeps the first limit bytes and swallows the rest, so that both pipes of a talkative git are always drained.
type capped struct {
	bytes.Buffer
	limit int
}

func (c *capped) Write(p []byte) (int, error) {
	if room := c.limit - c.Len(); room > 0 {
		c.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
