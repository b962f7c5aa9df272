//go:build unix

package carry

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

func isNotFolder(err error) bool { return errors.Is(err, unix.ENOTDIR) }

// rawStat is relative to the top level, so that a path which fits below it is never too long.
func (t *tree) rawStat(name string) (stat, error) {
	var s unix.Stat_t
	if err := again(func() error { return unix.Fstatat(int(t.top.Fd()), name, &s, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return stat{}, err
	}
	return fromSys(&s), nil
}

func fromSys(s *unix.Stat_t) stat {
	out := stat{
		mode: uint32(s.Mode) & 0o7777, size: s.Size, inode: uint64(s.Ino), dev: uint64(s.Dev), //nolint:unconvert // not the same on every system
		mtime: s.Mtim.Nano(), ctime: s.Ctim.Nano(),
	}
	switch s.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		out.kind = file
	case unix.S_IFLNK:
		out.kind = link
	case unix.S_IFDIR:
		out.kind = folder
	default:
		out.kind = special
	}
	return out
}

// fstat is rawStat of an open file.
func fstat(f *os.File) (stat, error) {
	var s unix.Stat_t
	if err := again(func() error { return unix.Fstat(int(f.Fd()), &s) }); err != nil {
		return stat{}, err
	}
	return fromSys(&s), nil
}

// open opens a regular file for reading. A link or a FIFO that took its place meanwhile is neither followed nor waited
// for.
func (t *tree) open(name string) (*os.File, error) {
	var fd int
	err := again(func() (err error) {
		fd, err = unix.Openat(int(t.top.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil || s.Mode&unix.S_IFMT != unix.S_IFREG {
		unix.Close(fd)
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist} // no file (any more)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// openFolder opens a folder for listing.
func (t *tree) openFolder(name string) (*os.File, error) {
	var fd int
	err := again(func() (err error) {
		fd, err = unix.Openat(int(t.top.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), filepath.Join(t.root.Name(), name)), nil // the whole name: ReadDir may have to lstat
}

func (t *tree) readlink(name string) (string, error) {
	for size := 256; ; size *= 4 {
		buf := make([]byte, size)
		n, err := unix.Readlinkat(int(t.top.Fd()), name, buf)
		if err != nil {
			return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
		}
		if n < size {
			return string(buf[:n]), nil
		}
	}
}

// setLinkTime sets the times of a link itself, in an open folder.
func setLinkTime(dir *os.File, name string, mtime int64) error {
	return setFileTime(int(dir.Fd()), name, mtime)
}

// setFileTime sets the times of a file, or of a link itself, in an open folder.
func setFileTime(dir int, name string, mtime int64) error {
	t := unix.NsecToTimespec(mtime)
	return unix.UtimesNanoAt(dir, name, []unix.Timespec{t, t}, unix.AT_SYMLINK_NOFOLLOW)
}

// chmodFile sets all twelve bits, of an open file or folder.
func chmodFile(f *os.File, mode uint32) error {
	return again(func() error { return unix.Fchmod(int(f.Fd()), mode) })
}

// writable says why nothing can be made in a folder.
func writable(folder string) error { return unix.Access(folder, unix.W_OK|unix.X_OK) }

func isNoSpace(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// isDenied: it may not be looked at, or cannot be, since its path is longer than the system takes.
func isDenied(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.ENAMETOOLONG)
}

// isLoop: O_NOFOLLOW met a link.
func isLoop(err error) bool { return errors.Is(err, unix.ELOOP) }

func isOtherDevice(err error) bool { return errors.Is(err, unix.EXDEV) }
