//go:build unix

package template

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// refresh gives the index the times, inodes and owners of the files as they are now, as `git update-index --refresh` would.
// The repository looks as if it had stood for a while: its files are an hour old, and the index was written well after
// the last change of any, so that whoever reads it can believe it.
func refresh(top string) error {
	now := time.Now()
	if err := refreshAt(top, unix.NsecToTimespec(now.Add(-time.Hour).UnixNano())); err != nil {
		return err
	}
	return os.Chtimes(filepath.Join(top, ".git", "index"), now, now.Add(time.Second))
}

func refreshAt(top string, old unix.Timespec) error {
	name := filepath.Join(top, ".git", "index")
	index, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	idBytes := sha1.Size
	if whole := len(index) - sha256.Size; whole > 0 {
		if sum := sha256.Sum256(index[:whole]); bytes.Equal(sum[:], index[whole:]) {
			idBytes = sha256.Size
		}
	}
	at := 12
	for range binary.BigEndian.Uint32(index[8:]) {
		path, _, _ := bytes.Cut(index[at+42+idBytes:], []byte{0})
		var is unix.Stat_t
		full := filepath.Join(top, string(path))
		if err := unix.UtimesNanoAt(unix.AT_FDCWD, full, []unix.Timespec{old, old}, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		if err := unix.Lstat(full, &is); err != nil {
			return err
		}
		for i, field := range []uint32{
			uint32(is.Ctim.Sec), uint32(is.Ctim.Nsec), uint32(is.Mtim.Sec), uint32(is.Mtim.Nsec), uint32(is.Dev), uint32(is.Ino),
			binary.BigEndian.Uint32(index[at+24:]), is.Uid, is.Gid, uint32(is.Size),
		} {
			binary.BigEndian.PutUint32(index[at+4*i:], field)
		}
		at += (42 + idBytes + len(path) + 8) &^ 7
	}
	content := index[:len(index)-idBytes]
	if idBytes == sha1.Size {
		sum := sha1.Sum(content)
		return os.WriteFile(name, append(content, sum[:]...), 0o644)
	}
	sum := sha256.Sum256(content)
	return os.WriteFile(name, append(content, sum[:]...), 0o644)
}
