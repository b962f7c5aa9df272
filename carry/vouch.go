package carry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// index is a worktree's index at one moment.
type index struct {
	git.Index
	content string // "" where there is none
	written int64  // when git wrote it, ns since 1970
	file    stat
	alone   bool // nobody but git has written to the files of this worktree
}

// openIndex reads a worktree's index file as it is: git never writes to one in place, it renames a new one.
func openIndex(w worktree.Worktree) (index, error) {
	f, err := os.Open(filepath.Join(w.GitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return index{}, nil
	}
	if err != nil {
		return index{}, fmt.Errorf("carry: read the index: %w", err)
	}
	defer f.Close()
	file, err := fstat(f)
	if err != nil {
		return index{}, fmt.Errorf("carry: read the index: %w", err)
	}
	var content strings.Builder
	content.Grow(int(file.size))
	if _, err := io.Copy(&content, f); err != nil {
		return index{}, fmt.Errorf("carry: read the index: %w", err)
	}
	return index{content: content.String(), written: file.mtime, file: file}, nil
}

// statIndex looks at a worktree's index file; the zero value where there is none.
func statIndex(w worktree.Worktree) (stat, error) {
	f, err := os.Open(filepath.Join(w.GitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return stat{}, nil
	}
	if err != nil {
		return stat{}, fmt.Errorf("carry: read the index: %w", err)
	}
	defer f.Close()
	return fstat(f)
}

// is says whether a worktree's index file is still this one, and has these bytes. Another file with the same bytes may
// have come after one with others, which git has read.
func (x *index) is(w worktree.Worktree) (bool, error) {
	f, err := os.Open(filepath.Join(w.GitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return x.content == "", nil
	}
	if err != nil {
		return false, fmt.Errorf("carry: read the index: %w", err)
	}
	defer f.Close()
	if file, err := fstat(f); err != nil || !file.same(x.file) {
		return false, err
	}
	rest := x.content
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		if n > len(rest) || rest[:n] != string(buf[:n]) {
			return false, nil
		}
		rest = rest[n:]
		if errors.Is(err, io.EOF) {
			return rest == "", nil
		}
		if err != nil {
			return false, fmt.Errorf("carry: read the index: %w", err)
		}
	}
}

// readIndex reads a worktree's index and its entries.
func readIndex(ctx context.Context, w worktree.Worktree) (index, error) {
	x, err := openIndex(w)
	if err == nil {
		err = x.readEntries(ctx, w)
	}
	return x, err
}

// copyTo keeps the original's time on the copy: an entry that is younger than its index is one that git looks at again,
// and a younger copy would hide that.
func (x *index) copyTo(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.WriteString(x.content)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("carry: copy the index: %w", err)
	}
	at := time.Unix(0, x.written)
	return os.Chtimes(path, at, at)
}

// readEntries reads them from the file's content; git is asked where that cannot be done.
func (x *index) readEntries(ctx context.Context, w worktree.Worktree) error {
	if x.content == "" {
		return nil
	}
	if entries, ok := git.ParseIndex(x.content, len(w.Head)/2); ok {
		x.Index = entries
		return nil
	}
	out, err := git.Command{Dir: w.Path, Args: git.EntriesArgs()}.Output(ctx)
	if err != nil {
		return err
	}
	x.Entries, err = git.ParseEntries(out)
	return err
}

// Two changes within a tick of a file system's clock leave the same times. If git looked at the file between them it is
// wrong about it for ever, and nothing in the index tells. blind is how long git may have been on its way from that look
// to the written index: longer than a tick and what a small `git add` takes; for file systems with seconds only (two on
// FAT), whose index may lie on a better one, as long as those.
const (
	blind       = tick
	blindCoarse = 2 * time.Second
)

// vouches says whether a file surely still is what git has seen for an entry: the same inode, size and times to the
// nanosecond, all older than the index by what git may not have seen. Other files have to be read.
func (x *index) vouches(entry int, s stat) bool {
	if entry < 0 || !x.KnowsTimes() || s.inode == 0 {
		return false
	}
	e, t := &x.Entries[entry], x.Times(entry)
	switch {
	case e.AssumeSame || e.SkipWorktree || e.Stage != 0:
		return false
	case s.kind == link != (e.Mode == git.ModeLink) || s.kind != file && s.kind != link:
		return false
	case t.Size == 0 && !e.Empty(): // "look at it again", as git writes it
		return false
	}
	if t.MTime != s.mtime || t.CTime != s.ctime || t.Inode != uint32(s.inode) || t.Size != uint32(s.size) {
		return false
	}
	switch {
	case x.alone: // whoever writes to a file that was given an older time changes that
		return s.mtime < x.written
	case s.ctime%int64(time.Second) == 0:
		return max(s.mtime, s.ctime) < x.written-int64(blindCoarse)
	}
	return max(s.mtime, s.ctime) < x.written-int64(blind)
}
