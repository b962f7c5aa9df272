//go:build unix

package sidecar

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// pollEnd asks every two seconds whether a process is there. A reused id keeps it waiting; the end of the input tells
// then.
func pollEnd(ctx context.Context, pid int) error {
	if err := unix.Kill(pid, 0); err != nil && err != unix.EPERM {
		return err
	}
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if unix.Kill(pid, 0) == unix.ESRCH {
				return nil
			}
		}
	}
}
