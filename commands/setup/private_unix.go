//go:build unix

package setup

import (
	"io/fs"
	"os"
	"syscall"
)

// private says whether nobody but this user, or root, can have written a file.
func private(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().Perm()&0o022 == 0 && (int(owner.Uid) == os.Geteuid() || owner.Uid == 0)
}
