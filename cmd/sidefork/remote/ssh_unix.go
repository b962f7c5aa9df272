//go:build unix

package remote

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// apart puts a process into a group of its own. Where ours has the terminal, the new one gets it until settled is called: ssh
// reads passwords from there, and one in the background would be stopped.
func apart(cmd *exec.Cmd) (settled func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return func() {}
	}
	ours := unix.Getpgrp()
	if front, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP); err != nil || front != ours {
		tty.Close()
		return func() {}
	}
	cmd.SysProcAttr.Foreground, cmd.SysProcAttr.Ctty = true, int(tty.Fd())
	return func() {
		signal.Ignore(syscall.SIGTTOU) // that is how the system would stop who takes a terminal back
		_ = unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSPGRP, ours)
		signal.Reset(syscall.SIGTTOU)
		tty.Close()
	}
}

// endGroup ends a process and those that it has started to get there (ProxyJump).
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
