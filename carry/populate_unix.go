//go:build unix

package carry

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/sidefork/sidefork/carry/git"
)

const canPopulate = true

// folderAt is an open folder, whose files are read or made one after the other.
type folderAt struct {
	name string // as path.Split gives it
	fd   int
	open bool
}

// enter opens a folder of a tree: no link, and none on the way to it.
func (h *folderAt) enter(look *lookup, dir string) error {
	name := strings.TrimSuffix(dir, "/")
	if name == "" {
		name = "."
	}
	if real, err := look.real(name); err != nil || !real {
		return &fs.PathError{Op: "open", Path: name, Err: unix.ENOTDIR}
	}
	fd, err := unix.Openat(int(look.top.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: name, Err: err}
	}
	h.name, h.fd, h.open = dir, fd, true
	return nil
}

func (h *folderAt) close() {
	if h.open {
		unix.Close(h.fd)
		h.open = false
	}
}

// copyClean copies the file or link of an entry under its own name. Not copied: it is not, or not any more, what the
// parent's index says, or cannot be read; nothing is left of it. An error is the child's.
func (f *populating) copyClean(ctx context.Context, here, there folderAt, i int, name string, buffer []byte) (git.FileFacts, bool, error) {
	if f.entries[i].Mode == git.ModeLink {
		return f.copyCleanLink(here, i, name)
	}
	src, before, ok := f.openClean(there, i, name)
	if !ok {
		return git.FileFacts{}, false, nil
	}
	defer unix.Close(src)
	var dst int
	err := again(func() (err error) {
		dst, err = unix.Openat(here.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, before.mode&0o777)
		return err
	})
	if err != nil {
		return git.FileFacts{}, false, f.cannot(i, err)
	}
	var made unix.Stat_t
	whole, err := f.copyBytes(ctx, dst, src, before.size, buffer)
	if err == nil && whole {
		err = setFileTime(here.fd, name, before.mtime)
	}
	if err == nil {
		err = unix.Fstat(dst, &made)
	}
	if e := unix.Close(dst); err == nil {
		err = e
	}
	if err == nil && whole && f.still(src, before) {
		return factsOf(&made), true, nil
	}
	if e := unix.Unlinkat(here.fd, name, 0); err == nil && e != nil {
		err = e
	}
	if err != nil {
		return git.FileFacts{}, false, f.cannot(i, err)
	}
	return git.FileFacts{}, false, nil
}

// openClean opens a file of the parent that is as its index says.
func (f *populating) openClean(there folderAt, i int, name string) (fd int, s stat, ok bool) {
	fd, err := unix.Openat(there.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, stat{}, false
	}
	var sys unix.Stat_t
	if err := unix.Fstat(fd, &sys); err == nil {
		if s = fromSys(&sys); s.kind == file && f.clean(i, s) {
			return fd, s, true
		}
	}
	unix.Close(fd)
	return 0, stat{}, false
}

// still says whether an open file is what it was.
func (f *populating) still(fd int, before stat) bool {
	var sys unix.Stat_t
	return unix.Fstat(fd, &sys) == nil && fromSys(&sys).same(before)
}

// copyBytes copies a file's content. Not whole: it cannot be read, or has another size by now.
func (f *populating) copyBytes(ctx context.Context, dst, src int, size int64, buffer []byte) (whole bool, err error) {
	if size > int64(len(buffer)) {
		return f.copyLarge(ctx, dst, src)
	}
	n := 0
	for n < int(size) {
		var m int
		if err := again(func() (err error) { m, err = unix.Read(src, buffer[n:size]); return err }); err != nil || m == 0 {
			return false, nil //nolint:nilerr // git is to check it out
		}
		n += m
	}
	for at := 0; at < n; {
		var m int
		if err := again(func() (err error) { m, err = unix.Write(dst, buffer[at:n]); return err }); err != nil {
			return false, err
		}
		at += m
	}
	return true, nil
}

func (f *populating) copyLarge(ctx context.Context, dst, src int) (bool, error) {
	to, err := reopened(dst)
	if err != nil {
		return false, err
	}
	defer to.Close()
	from, err := reopened(src)
	if err != nil {
		return false, err
	}
	defer from.Close()
	return true, f.copyContent(ctx, to, from, 1)
}

// reopened gives the file of a descriptor that is closed by somebody else.
func reopened(fd int) (*os.File, error) {
	twin, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(twin), ""), nil
}

func (f *populating) copyCleanLink(here folderAt, i int, name string) (git.FileFacts, bool, error) {
	at := f.entries[i].Path
	before, err := f.parent.at(at)
	if err != nil || before.kind != link || !f.clean(i, before) {
		return git.FileFacts{}, false, nil
	}
	text, err := f.parent.readlink(at)
	if err != nil {
		return git.FileFacts{}, false, nil
	}
	if after, err := f.parent.at(at); err != nil || !after.same(before) {
		return git.FileFacts{}, false, nil
	}
	if err := unix.Symlinkat(text, here.fd, name); err != nil {
		return git.FileFacts{}, false, f.cannot(i, err)
	}
	if err := setFileTime(here.fd, name, before.mtime); err != nil {
		return git.FileFacts{}, false, f.cannot(i, err)
	}
	var made unix.Stat_t
	if err := unix.Fstatat(here.fd, name, &made, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return git.FileFacts{}, false, f.cannot(i, err)
	}
	return factsOf(&made), true, nil
}

func (f *populating) cannot(i int, err error) error {
	return fmt.Errorf("carry: fill the workspace: %w", &fs.PathError{Op: "write", Path: f.entries[i].Path, Err: err})
}

func factsOf(s *unix.Stat_t) git.FileFacts {
	return git.FileFacts{
		CTime: s.Ctim.Nano(), MTime: s.Mtim.Nano(), Device: uint32(s.Dev), Inode: uint32(s.Ino), UID: s.Uid, GID: s.Gid, Size: uint32(s.Size),
	}
}
