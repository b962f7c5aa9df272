//go:build unix && !linux

package sidecar

import (
	"context"
	"os"
)

func waitForEnd(ctx context.Context, pid int) error { return pollEnd(ctx, pid) }

func isAncestor(pid int) bool { return os.Getppid() == pid }
