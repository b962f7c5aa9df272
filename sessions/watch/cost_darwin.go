package watch

import (
	"os"

	"golang.org/x/sys/unix"
)

// inOrder is not known: kqueue tells of each folder and file by itself.
const inOrder = false

// most is how many files may be open for it: a part of what the process may have open.
func most() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	const part = 4
	return int(min(limit.Cur/part, Most))
}

// cost is what watching a folder takes of most: an open file for it and for each name in it, since kqueue tells of a folder
// that names come and go, not that its files are written. 0 where the file system is not of this machine.
func cost(folder string) int {
	var fs unix.Statfs_t
	if unix.Statfs(folder, &fs) != nil || fs.Flags&unix.MNT_LOCAL == 0 {
		return 0
	}
	names, err := os.ReadDir(folder)
	if err != nil {
		return 0
	}
	return 1 + len(names)
}
