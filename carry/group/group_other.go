//go:build !unix

package group

import (
	"os"
	"os/exec"
	"time"
)

// Jobs are what a process has left running: not known here.
type Jobs struct{}

// LeftBy is not known here.
func LeftBy(*exec.Cmd) Jobs { return Jobs{} }

// End does nothing here.
func (Jobs) End(time.Duration) {}

// All are the jobs of several commands: none that is known.
func All(...Jobs) Jobs { return Jobs{} }

// Own does nothing here.
func Own(*exec.Cmd) {}

// End ends the process; what it has started goes on.
func End(cmd *exec.Cmd, _ bool) error {
	if cmd.Process == nil {
		return os.ErrProcessDone
	}
	return cmd.Process.Kill()
}
