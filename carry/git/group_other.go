//go:build !unix

package git

import (
	"os"
	"os/exec"
	"time"
)

// Jobs are what a process has left running: not known here.
type Jobs struct{}

func jobsOf(*exec.Cmd) Jobs { return Jobs{} }

// End does nothing here.
func (Jobs) End(time.Duration) {}

func ownGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd, _ bool) error {
	if cmd.Process == nil {
		return os.ErrProcessDone
	}
	return cmd.Process.Kill()
}
