//go:build unix

package sessions

import (
	"os/exec"
	"syscall"
)

// endWhole makes a cancelled command end with all that it has started: an agent's program may be a script around another.
func endWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
