//go:build unix

// Package group starts a process as the head of a group, so that it and all that it started can be ended together.
package group

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// Own makes a command, before it is started, the leader of a group of its own, so that a terminal's Ctrl-C reaches us alone.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// End asks the process and all that it started to end, or ends them.
func End(cmd *exec.Cmd, kill bool) error {
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
type Jobs struct{ groups []int }

// LeftBy is what a command that has ended has left running, other than what made a group of its own: that means to stay.
func LeftBy(cmd *exec.Cmd) Jobs {
	if cmd.Process == nil || !isGroup(cmd.Process.Pid) {
		return Jobs{}
	}
	return Jobs{[]int{cmd.Process.Pid}}
}

// isGroup says whether a group has a process left. While it has, the system gives its number to nobody else.
func isGroup(group int) bool { return syscall.Kill(-group, 0) == nil }

// All are the jobs of several commands.
func All(jobs ...Jobs) (all Jobs) {
	for _, j := range jobs {
		all.groups = append(all.groups, j.groups...)
	}
	return all
}

// End asks them to end, and after limit ends them. It returns when they have ended, after twice the limit at the latest.
func (j Jobs) End(limit time.Duration) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		for _, group := range j.groups {
			_ = syscall.Kill(-group, signal)
		}
		for since := time.Now(); slices.ContainsFunc(j.groups, isGroup) && time.Since(since) < limit; {
			time.Sleep(2 * time.Millisecond)
		}
	}
}
