package snapshot

import (
	"fmt"
	"io/fs"
	"syscall"
)

// identity is what changes when a file is replaced, given away or linked.
func identity(info fs.FileInfo) string {
	s := info.Sys().(*syscall.Stat_t)
	if info.IsDir() {
		return fmt.Sprintf("inode %d owner %d:%d", s.Ino, s.Uid, s.Gid)
	}
	return fmt.Sprintf("inode %d owner %d:%d links %d", s.Ino, s.Uid, s.Gid, s.Nlink)
}

// times are those of the last change of content and of the last change of anything.
func times(info fs.FileInfo) string {
	s := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("modified %d changed %d.%09d", info.ModTime().UnixNano(), s.Ctim.Sec, s.Ctim.Nsec)
}
