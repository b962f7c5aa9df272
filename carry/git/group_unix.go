//go:build unix

package git

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts the process as the leader of a group of its own, so that a terminal's Ctrl-C reaches us alone.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks the process and all that it started to end, or ends them.
func endGroup(cmd *exec.Cmd, kill bool) error {
	if cmd.Process == nil {
		return os.ErrProcessDone
	}
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	err := syscall.Kill(-cmd.Process.Pid, signal)
	if err == syscall.ESRCH {
		return os.ErrProcessDone
	}
	return err
}
