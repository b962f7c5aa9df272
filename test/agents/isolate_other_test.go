//go:build agents && unix && !linux

package agents_test

import "os/exec"

func runIsolated(command func() *exec.Cmd) error { return command().Run() }

func isolate() (network string, err error) {
	return "the machine's own; the agents are told by their environment to use loopback", nil
}
