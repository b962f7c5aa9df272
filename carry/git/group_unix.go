//go:build unix

package git

import (
	"os"
	"os/exec"
	"syscall"
	"time"
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

// Jobs are the processes that are left of a group when its leader has ended. The zero value is none.
type Jobs struct{ group int }

// jobsOf are what a command that has ended has left running, other than what made a group of its own: that means to stay.
func jobsOf(cmd *exec.Cmd) Jobs {
	if cmd.Process == nil || !isGroup(cmd.Process.Pid) {
		return Jobs{}
	}
	return Jobs{cmd.Process.Pid}
}

// isGroup says whether a group has a process left. While it has, the system gives its number to nobody else.
func isGroup(group int) bool { return syscall.Kill(-group, 0) == nil }

// End asks them to end, and after limit ends them. It returns when they have ended, after twice the limit at the latest.
func (j Jobs) End(limit time.Duration) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if j.group == 0 || syscall.Kill(-j.group, signal) != nil {
			return
		}
		for since := time.Now(); isGroup(j.group) && time.Since(since) < limit; {
			time.Sleep(2 * time.Millisecond)
		}
	}
}
