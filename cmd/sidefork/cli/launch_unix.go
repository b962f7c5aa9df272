//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/sidefork/sidefork/commands"
)

// runAgent runs an agent in this terminal, in our own process group, so that Ctrl-C and Ctrl-Z typed there reach it as if
// it had been started by hand: we swallow the former, and stop and go on with it. A signal sent to us alone is passed on.
// The status is its exit status, or 128 plus the signal that ended it, as a shell says it.
func runAgent(_ context.Context, launch commands.Launch) (int, error) {
	cmd, err := process(launch)
	if err != nil {
		return 0, err
	}
	// Caught and not ignored: an ignored signal would stay ignored in the agent.
	caught, ended := make(chan os.Signal, 8), make(chan struct{})
	signal.Notify(caught, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(caught)
	modes, _ := term.GetState(int(os.Stdin.Fd()))
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	pid := cmd.Process.Pid
	go func() {
		for {
			select {
			case s := <-caught:
				if s == syscall.SIGTERM || s == syscall.SIGHUP { // SIGINT and SIGQUIT come from the terminal, to both
					_ = cmd.Process.Signal(s)
				}
			case <-ended:
				return
			}
		}
	}()
	defer close(ended)
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case status.Stopped():
			// It stopped itself (Ctrl-Z): the shell must see us stopped, or the terminal would hang.
			_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
			_ = unix.Kill(pid, unix.SIGCONT)
		case status.Exited():
			return status.ExitStatus(), nil
		case status.Signaled():
			if modes != nil { // killed: it could not put the terminal back itself
				_ = term.Restore(int(os.Stdin.Fd()), modes)
			}
			return 128 + int(status.Signal()), nil
		}
	}
}
