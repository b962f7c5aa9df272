package remote

import (
	"os/exec"
	"syscall"
)

// apart keeps Ctrl-C from a process.
func apart(cmd *exec.Cmd) (settled func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return func() {}
}

func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
