//go:build unix

package worktree

import "golang.org/x/sys/unix"

// writable says whether entries can be made in a folder by this process; also false on a read-only file system.
func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }
