package carry

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// clone makes an empty file share the blocks of another one. never: not on this file system, nor between these two.
func clone(dst, src *os.File) (done, never bool) {
	err := again(func() error { return unix.IoctlFileClone(int(dst.Fd()), int(src.Fd())) })
	return err == nil, errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOTTY) || errors.Is(err, unix.EXDEV) || errors.Is(err, unix.ENOSYS)
}

// cloneNew is clone of a file that is made by it, in an open folder; macOS has only this one.
func cloneNew(_ *os.File, _ string, _ *os.File) (done, never bool) { return false, false }
