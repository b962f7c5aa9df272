package carry

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// clone shares the blocks of another file; here only a file that is made can.
func clone(_, _ *os.File) (done, never bool) { return false, false }

// cloneNew makes a file, in an open folder, that shares the blocks of another one. never: not on this file system, nor
// between these two.
func cloneNew(dir *os.File, name string, src *os.File) (done, never bool) {
	err := again(func() error { return unix.Fclonefileat(int(src.Fd()), int(dir.Fd()), name, 0) })
	return err == nil, errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EXDEV) || errors.Is(err, unix.ENOSYS)
}
