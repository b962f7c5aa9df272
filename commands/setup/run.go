package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/group"
)

// Place is where a setup runs, and what it is told of that.
type Place struct {
	Root   string // the repository's main checkout
	Parent string // the workspace that was forked
	Child  string // the new one, in which it runs
	Branch string // of the child
	Port   string // free when it was chosen
}

// environment tells a setup where it is: by our own names, and by those that the files' own programs use.
func (p Place) environment() []string {
	name := filepath.Base(p.Child)
	return append(git.Environment(),
		"SIDEFORK_ROOT_PATH="+p.Root, "SIDEFORK_PARENT_PATH="+p.Parent, "SIDEFORK_WORKSPACE_PATH="+p.Child,
		"SIDEFORK_BRANCH="+p.Branch, "SIDEFORK_PORT="+p.Port,
		"ORCA_ROOT_PATH="+p.Root, "ORCA_WORKTREE_PATH="+p.Child, "ORCA_WORKSPACE_NAME="+name,
		"ROOT_WORKTREE_PATH="+p.Root,
		"CONDUCTOR_ROOT_PATH="+p.Root, "CONDUCTOR_WORKSPACE_PATH="+p.Child, "CONDUCTOR_WORKSPACE_NAME="+name, "CONDUCTOR_PORT="+p.Port)
}

// Result is what became of a setup.
type Result struct {
	Exit int        // of the last command that ran; -1 where it could not be started or was ended
	Late bool       // it was ended because it took longer than its limit
	Err  error      // why it could not be started; the context's where it was cancelled
	Left group.Jobs // what it has left running
}

// Run runs the commands one after the other, each in a shell of its own, until one fails. They have no input, and no
// terminal: what they print goes to log. A cancelled context and the limit end the whole group, what hides in the
// background with it.
func Run(ctx context.Context, commands []string, p Place, limit time.Duration, log *os.File) Result {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	defer cancel()
	environment := p.environment()
	var left []group.Jobs
	r := Result{}
	for _, command := range commands {
		fmt.Fprintf(log, "$ %s\n", command)
		var jobs group.Jobs
		r.Exit, jobs, r.Err = run(ctx, shell(command), p.Child, environment, log)
		left = append(left, jobs)
		if r.Err != nil || r.Exit != 0 {
			break
		}
	}
	if errors.Is(r.Err, errLate) {
		r.Late, r.Err = true, nil
	}
	r.Left = group.All(left...)
	return r
}

var errLate = errors.New("setup: it took too long")

func run(ctx context.Context, argv []string, dir string, environment []string, log *os.File) (exit int, left group.Jobs, err error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, environment, log, log
	group.Own(cmd)
	cmd.Cancel = func() error { return group.End(cmd, false) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		_ = group.End(cmd, true)
		return -1, group.LeftBy(cmd), context.Cause(ctx)
	}
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode(), group.LeftBy(cmd), nil
	}
	if err != nil {
		return -1, group.Jobs{}, fmt.Errorf("setup: %w", err)
	}
	return 0, group.LeftBy(cmd), nil
}

// shell is how a command is run: bash, which the files are written for, else sh; both stop at the first that fails.
func shell(command string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/d", "/s", "/c", command}
	}
	if _, err := exec.LookPath("bash"); err != nil {
		return []string{"sh", "-e", "-c", command}
	}
	return []string{"bash", "--noprofile", "--norc", "-e", "-c", command}
}

// FreePorts are n ports of the loopback that nobody listens at now, each another one; "" where there is none.
func FreePorts(n int) []string {
	ports := make([]string, n)
	for i := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			continue
		}
		defer listener.Close() // all of them at the end: a port that was let go might come again
		if at, ok := listener.Addr().(*net.TCPAddr); ok {
			ports[i] = strconv.Itoa(at.Port)
		}
	}
	return ports
}

const (
	keptLogs  = 50
	tailBytes = 8 << 10
	tailLines = 20
)

// NewLog makes the log of one setup, for this user alone, and removes the oldest ones of the folder. Where the folder
// cannot be used it is a temporary file.
func NewLog(folder, operation string) (*os.File, error) {
	if filepath.IsAbs(folder) && os.MkdirAll(folder, 0o700) == nil {
		name := time.Now().UTC().Format("20060102T150405.000") + "-" + operation + ".log" // names sort by time
		log, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
		if err == nil {
			logs, _ := filepath.Glob(filepath.Join(folder, "*.log"))
			for _, old := range logs[:max(0, len(logs)-keptLogs)] {
				_ = os.Remove(old)
			}
			return log, nil
		}
	}
	return os.CreateTemp("", "sidefork-setup-*.log")
}

// Tail is the last lines of a log, as they were printed.
func Tail(log *os.File) string {
	info, err := log.Stat()
	if err != nil {
		return ""
	}
	text, _ := io.ReadAll(io.NewSectionReader(log, max(0, info.Size()-tailBytes), tailBytes))
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}
