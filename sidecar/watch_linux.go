package sidecar

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// waitForEnd returns nil when the process has ended, an error when that cannot be told or ctx is done. A zombie has
// ended.
func waitForEnd(ctx context.Context, pid int) error {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	switch err {
	case nil:
	case unix.ESRCH:
		return err
	default: // Linux before 5.10, or a sandbox
		return pollEnd(ctx, pid)
	}
	f := os.NewFile(uintptr(fd), "pidfd") // non-blocking, so the runtime's poller takes it and Close wakes the read
	defer f.Close()
	defer context.AfterFunc(ctx, func() { _ = f.Close() })()
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	ended := false
	err = conn.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		ended = n > 0 && err == nil
		return ended
	})
	switch {
	case ended:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		return pollEnd(ctx, pid)
	}
	return fmt.Errorf("sidecar: wait for process %d: %w", pid, err)
}

// isAncestor says whether a process is one of those that started us.
func isAncestor(pid int) bool {
	for p := os.Getppid(); p > 0; {
		if p == pid {
			return true
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(p) + "/stat")
		if err != nil {
			return false
		}
		// "PID (name) state PPID …": the name may hold anything, so count from its last parenthesis.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 {
			return false
		}
		if p, err = strconv.Atoi(string(fields[1])); err != nil {
			return false
		}
	}
	return false
}
