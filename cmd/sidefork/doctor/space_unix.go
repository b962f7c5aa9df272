//go:build unix

package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// space is how many bytes a user may still write where path is, and which file system that is.
func space(path string) (free uint64, on string, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, "", err
	}
	var at unix.Stat_t
	if err := unix.Stat(path, &at); err != nil {
		return 0, "", err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), fmt.Sprint(at.Dev), nil
}
