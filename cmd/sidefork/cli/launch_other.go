//go:build !unix

package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"

	"github.com/sidefork/sidefork/commands"
)

// runAgent runs an agent in this terminal. Ctrl-C reaches it from the console itself; we only must not end before it.
func runAgent(_ context.Context, launch commands.Launch) (int, error) {
	cmd, err := process(launch)
	if err != nil {
		return 0, err
	}
	caught := make(chan os.Signal, 8)
	signal.Notify(caught, os.Interrupt)
	defer signal.Stop(caught)
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}
