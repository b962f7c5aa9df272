//go:build agents && unix && !linux

package agents_test

import (
	"errors"
	"os/exec"
)

func runIsolated(command func() *exec.Cmd) (status int, err error) {
	err = command().Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(1, failed.ExitCode()), nil
	}
	return 0, err
}

func isolate() (network string, err error) {
	return "the machine's own; the agents are told by their environment to use loopback", nil
}
