package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

// Tmux is the tmux that keeps agents which need no window, in a server of our own: `tmux -L sidefork`, with a configuration
// of our own. It outlives whoever starts an agent in it. The server is given nothing of the environment but what it needs:
// everybody who may attach could read it there.
type Tmux struct {
	Program string // absolute path
	Config  string // where the configuration is put: a file in a folder of the user's
	Getenv  func(string) string
}

// socket is what our server is called: the agents in it are not among the user's own windows.
const socket = "sidefork"

// config is the server's. A key of tmux must not be one of an agent's: Ctrl-B is.
//
// The job in the status line does nothing. tmux (3.3a, one end of an agent in ten) can miss that a program has ended, and
// learns of it only when the next one does: so one does, every other second while somebody watches, and before a list.
const config = `# Written by sidefork. It is read each time that an agent is started.
set -g prefix C-]
unbind C-b
bind C-] send-prefix
set -g status on
set -g status-interval 2
set -g status-left ' #S  #(:)'
set -g status-left-length 60
set -g status-right ' Ctrl-] d: leave it running '
set -g status-right-length 40
set -g window-status-format ''
set -g window-status-current-format ''
set -g history-limit 20000
set -g mouse on
set -g focus-events on
set -g remain-on-exit failed
set-hook -g pane-died "run-shell -C \"detach-client -s '#{hook_session}'\""
set -g window-size latest
set -g update-environment ''
set -g default-shell /bin/sh
set -g default-terminal screen-256color
set -ga terminal-features ',*:RGB'
set -g allow-rename off
set -g assume-paste-time 0
set -s escape-time 10
set -s extended-keys on
set -s exit-empty on
`

// OldestTmux is the oldest version that keeps the window of a program which has failed (remain-on-exit failed).
var OldestTmux = [2]int{3, 2}

var tmuxVersion = regexp.MustCompile(`(\d+)\.(\d+)`)

// FindTmux finds tmux on PATH and asks for its version. Refused: tmuxMissing, tmuxTooOld.
func FindTmux(ctx context.Context, getenv func(string) string, config string) (*Tmux, error) {
	t := &Tmux{Config: config, Getenv: getenv}
	if t.Program = LookPath(getenv, "tmux"); t.Program == "" {
		return nil, agent.Refuse("tmuxMissing")
	}
	said, err := t.run(ctx, "-V")
	if err != nil {
		return nil, err
	}
	version := tmuxVersion.FindStringSubmatch(said)
	if version == nil { // built from its sources: "tmux master"
		return t, nil
	}
	major, _ := strconv.Atoi(version[1])
	minor, _ := strconv.Atoi(version[2])
	if slices.Compare([]int{major, minor}, OldestTmux[:]) < 0 {
		return nil, agent.Refuse("tmuxTooOld", "version", strings.TrimSpace(said))
	}
	return t, nil
}

// LookPath is the absolute path of a program, "" where there is none. Relative entries of PATH are passed over, as what
// lies in the current folder is somebody else's.
func LookPath(getenv func(string) string, program string) string {
	for _, folder := range filepath.SplitList(getenv("PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(folder, program)); err == nil {
			return found
		}
	}
	return ""
}

// command is a call of our server. -u: by ssh there is often no locale, and tmux would write "_" for every tab and letter
// that ASCII has not.
func (t *Tmux) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.Program, append([]string{"-u", "-L", socket, "-f", t.Config}, args...)...)
	cmd.Dir = "/"
	cmd.Env = []string{"TERM=xterm-256color"}
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TMUX_TMPDIR", "XDG_RUNTIME_DIR"} {
		if value := t.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.WaitDelay = time.Second
	return cmd
}

// tmuxLimit bounds a call of tmux.
const tmuxLimit = 15 * time.Second

func (t *Tmux) run(ctx context.Context, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, tmuxLimit)
	defer stop()
	cmd := t.command(ctx, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), &tmuxError{args[0], strings.TrimSpace(errs.String()), err}
	}
	return out.String(), nil
}

type tmuxError struct {
	verb, said string
	err        error
}

func (e *tmuxError) Error() string { return fmt.Sprintf("tmux %s: %s (%v)", e.verb, e.said, e.err) }
func (e *tmuxError) Unwrap() error { return e.err }

// SessionName is what tmux calls the session of a workspace: its name, without what means something to tmux.
func SessionName(name string) string {
	name = strings.Map(func(r rune) rune {
		if names.MatchString("x"+string(r)) && r != '.' {
			return r
		}
		return '-'
	}, name)
	if name = strings.TrimLeft(name, "-+_"); name == "" {
		return "agent"
	}
	return name[:min(len(name), 60)]
}

// Start starts a command in a session of its own, in a folder, and gives the session's name: name, or that with a number
// behind it where it is taken. Nothing of the command is a shell's affair.
func (t *Tmux) Start(ctx context.Context, name, folder string, argv []string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(t.Config), 0o700); err != nil {
		return "", fmt.Errorf("terminal: %w", err)
	}
	if err := writeFile(t.Config, []byte(config)); err != nil {
		return "", fmt.Errorf("terminal: %w", err)
	}
	const most = 1000
	for i := 1; i < most; i++ {
		try := name
		if i > 1 {
			try += "-" + strconv.Itoa(i)
		}
		if t.has(ctx, try) {
			continue
		}
		args := []string{"start-server", ";", "source-file", t.Config, ";", "new-session", "-d", "-s", try, "-x", "160", "-y", "48", "-c", folder, "--"}
		_, err := t.run(ctx, append(args, argv...)...)
		if err == nil {
			return try, nil
		}
		if ctx.Err() != nil || !t.has(ctx, try) { // else somebody else was faster
			return "", err
		}
	}
	return "", fmt.Errorf("terminal: %d sessions are called %s", most, name)
}

func (t *Tmux) has(ctx context.Context, name string) bool {
	_, err := t.run(ctx, "has-session", "-t", "="+name)
	return err == nil
}

// Pane is what there is to be known of a session of our server.
type Pane struct {
	Name   string `json:"name"`
	Folder string `json:"folder"`
	Dead   bool   `json:"dead"`             // its agent has failed, and the screen is kept
	Status int    `json:"status,omitempty"` // its exit status then
	PID    int    `json:"pid"`
}

// Sessions are those of our server; none where it does not run.
func (t *Tmux) Sessions(ctx context.Context) ([]Pane, error) {
	out, err := t.run(ctx, "run-shell", ":", ";", "list-panes", "-a", "-F", "#{session_name}\t#{pane_dead}\t#{pane_dead_status}\t#{pane_pid}\t#{pane_start_path}")
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
			return nil, nil // "no server running"
		}
		return nil, err
	}
	var found []Pane
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 5)
		if len(fields) != 5 {
			continue
		}
		p := Pane{Name: fields[0], Dead: fields[1] == "1", Folder: fields[4]}
		p.Status, _ = strconv.Atoi(fields[2])
		p.PID, _ = strconv.Atoi(fields[3])
		found = append(found, p)
	}
	return found, nil
}

// Screen is what a session shows, and what has scrolled off it just before.
func (t *Tmux) Screen(ctx context.Context, name string) (string, error) {
	return t.run(ctx, "capture-pane", "-p", "-S", "-50", "-t", "="+name+":")
}

// Attach is the command that shows a session in the terminal that runs it. It must not have TMUX of a tmux around it.
func (t *Tmux) Attach(name string) []string {
	return []string{t.Program, "-L", socket, "-f", t.Config, "attach-session", "-t", "=" + name}
}

// Forget ends a session.
func (t *Tmux) Forget(ctx context.Context, name string) error {
	_, err := t.run(ctx, "kill-session", "-t", "="+name)
	return err
}
