package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"

	"github.com/sidefork/sidefork/commands"
)

// start runs the agent of a fork in this terminal. Its exit status becomes ours: the fork stands whatever it is.
func (l *line) start(ctx context.Context, launch commands.Launch) {
	here := launch
	if l.host != nil {
		here = l.overSSH(launch)
	}
	status, err := l.agent(context.WithoutCancel(ctx), here)
	if err != nil {
		l.print(l.err, "warning: the agent could not be started: %s", commands.Printable(err.Error()))
		fmt.Fprintf(l.err, "%s %s\n\n%s\n", l.say("The workspace stands."), l.startHere(), l.commandLine(launch))
		return
	}
	l.status = status
}

// startHere stands above a commandLine, and says for where it is.
func (l *line) startHere() string {
	if l.host != nil {
		return l.say("Start its agent with:")
	}
	return l.say("Start its agent from this shell with (--json has a longer one, for any):")
}

// commandLine is a launch for the shell that this system's users have, in the environment that we were called in.
func (l *line) commandLine(launch commands.Launch) string {
	if l.host != nil {
		return commands.POSIXLine(l.overSSH(launch).Argv)
	}
	shells := launch.In(l.lookup).CommandLine
	text := shells.POSIX
	if runtime.GOOS == "windows" {
		text = shells.PowerShell
	}
	parts := strings.Split(text, "\n") // of a prompt: inside the quotes they stay what they are
	for i, part := range parts {
		parts[i] = commands.Printable(part)
	}
	return strings.Join(parts, "\n")
}

// background lets commands wait for the agent to be up, while it runs in this terminal. wait ends that.
func (l *line) background(ctx context.Context) (wait func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	l.env.Background = func(f func(context.Context)) { running.Go(func() { f(ctx) }) }
	return func() {
		cancel()
		running.Wait()
	}
}

// awaitStarted has it said when the agent of a fork that runs elsewhere is up, or why it is not. wait waits for that; an
// interrupt ends the wait, not the agent. starts is how many there are, once that is known.
func (l *line) awaitStarted(ctx context.Context, starts *int) (wait func()) {
	var running sync.WaitGroup
	l.env.Background = func(f func(context.Context)) { running.Go(func() { f(ctx) }) }
	l.env.Task = func(_ string, f func(context.Context)) { running.Go(func() { f(ctx) }) }
	came := make(chan struct{}, mostCopies)
	var saying sync.Mutex
	l.env.Notify = func(_ string, params any) {
		saying.Lock()
		defer saying.Unlock()
		switch s := params.(type) {
		case commands.StartedParams:
			if s.Warning != nil {
				l.warn([]commands.Warning{*s.Warning})
			} else {
				l.note("The agent is up.")
			}
			select {
			case came <- struct{}{}:
			default: // nobody counts that far
			}
		case commands.SetupParams:
			if s.Warning != nil {
				l.warn([]commands.Warning{*s.Warning})
			} else {
				l.note("The setup has ended with exit status %d; its log is in %s.", *s.Setup.ExitCode, s.Setup.Log)
			}
		}
	}
	return func() {
		l.done.Store(true)
		running.Wait() // of another machine there is none
		for i := 0; l.host != nil && i < *starts; i++ {
			select {
			case <-came:
			case <-ctx.Done():
				return
			case <-l.host.Lost():
				l.note("The connection to %s was lost; the agent is in tmux there.", l.host.Name())
				return
			}
		}
	}
}

// process is the agent of a launch, ready to be started in this terminal: its folder, and our environment with the
// launch's differences.
func process(launch commands.Launch) (*exec.Cmd, error) {
	if len(launch.Argv) == 0 {
		return nil, errors.New("there is no command")
	}
	cmd := exec.Command(launch.Argv[0], launch.Argv[1:]...)
	cmd.Dir, cmd.Env = launch.Cwd, environment(os.Environ(), launch.Env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd, cmd.Err
}

// environment is ours with the differences: a value to set, nil to remove.
func environment(ours []string, differences map[string]*string) []string {
	var env []string
	for _, pair := range ours {
		name, _, _ := strings.Cut(pair, "=")
		if _, differs := differences[name]; !differs {
			env = append(env, pair)
		}
	}
	for name, value := range differences {
		if value != nil {
			env = append(env, name+"="+*value)
		}
	}
	return env
}
