//go:build !unix

package carry

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// isNotFolder: Windows says "path not found", which fs.ErrNotExist covers.
func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

func (t *tree) rawStat(name string) (stat, error) {
	info, err := t.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return stat{}, err
	}
	return fromInfo(info), nil
}

func fromInfo(info fs.FileInfo) stat {
	s := stat{mode: uint32(info.Mode().Perm()), size: info.Size(), mtime: info.ModTime().UnixNano()}
	switch {
	case info.Mode().IsRegular():
		s.kind = file
	case info.Mode()&fs.ModeSymlink != 0:
		s.kind = link
	case info.IsDir():
		s.kind = folder
	default:
		s.kind = special
	}
	return s
}

func fstat(f *os.File) (stat, error) {
	info, err := f.Stat()
	if err != nil {
		return stat{}, err
	}
	return fromInfo(info), nil
}

func (t *tree) open(name string) (*os.File, error) {
	if s, err := t.rawStat(name); err != nil || s.kind != file {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return t.root.Open(filepath.FromSlash(name))
}

func (t *tree) openFolder(name string) (*os.File, error) {
	return t.root.Open(filepath.FromSlash(name))
}

func (t *tree) readlink(name string) (string, error) {
	return t.root.Readlink(filepath.FromSlash(name))
}

func setLinkTime(*os.File, string, int64) error { return nil }

func chmodFile(f *os.File, mode uint32) error { return f.Chmod(fs.FileMode(mode & 0o777)) }

// writable: Windows tells that by trying only.
func writable(string) error { return nil }

func isNoSpace(err error) bool { return errors.Is(err, syscall.Errno(112)) } // ERROR_DISK_FULL

func isDenied(err error) bool { return errors.Is(err, fs.ErrPermission) }

func isLoop(error) bool { return false }

func isOtherDevice(error) bool { return false }
