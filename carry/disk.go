package carry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// kind is what a path is on disk.
type kind byte

const (
	absent  kind = iota
	file         // a regular file
	link         // a symbolic link
	folder       // a directory
	special      // a FIFO, a socket, a device: never opened
)

// stat is what lstat says of a path. Inode, device and change time are 0 where the system has none.
type stat struct {
	kind         kind
	mode         uint32 // permission bits with setuid, setgid and sticky, as in chmod(2)
	size         int64
	mtime, ctime int64 // ns since 1970
	inode, dev   uint64
}

// same says that nothing touched the path between two looks: not its content, its mode or its identity.
func (s stat) same(t stat) bool { return s == t }

// tree reads below one top level and follows no link, neither at the end of a path nor on the way to it: git asks the
// same of a tracked path, which is gone when a link takes the place of one of its folders.
type tree struct {
	root *os.Root
	top  *os.File // the top level itself, for the calls that are relative to it
}

func openTree(dir string) (*tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("carry: open %s: %w", dir, err)
	}
	top, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("carry: open %s: %w", dir, err)
	}
	return &tree{root, top}, nil
}

func (t *tree) close() {
	t.top.Close()
	t.root.Close()
}

// lookup reads one path after the other and remembers which folders are real ones. It is for one goroutine and one
// moment: what it has seen it does not look at again.
type lookup struct {
	*tree
	folders map[string]bool
}

func (t *tree) lookup() *lookup { return &lookup{t, map[string]bool{".": true}} }

// lstat gives what is at a path; absent without an error where it, or a folder on the way to it, is not there.
func (l *lookup) lstat(name string) (stat, error) {
	real, err := l.real(path.Dir(name))
	if !real || err != nil {
		return stat{}, err
	}
	return l.at(name)
}

func (l *lookup) real(dir string) (bool, error) {
	if real, seen := l.folders[dir]; seen {
		return real, nil
	}
	s, err := l.lstat(dir)
	l.folders[dir] = s.kind == folder
	return s.kind == folder, err
}

// at is lstat without looking at the folders on the way.
func (t *tree) at(name string) (stat, error) {
	s, err := t.rawStat(name)
	if isAbsent(err) {
		return stat{}, nil
	}
	if err != nil {
		return stat{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	return s, nil
}

// isAbsent knows the only errors that mean "not there"; any other one means that we do not know.
func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNotFolder(err) }

// equal says whether two trees have the same at a path: type, bytes or link text. The permission bits are left to the
// caller, who knows whether they mean anything.
func equal(ctx context.Context, a, b *tree, name string, sa, sb stat) (bool, error) {
	if sa.kind != sb.kind {
		return false, nil
	}
	switch sa.kind {
	case file:
		if sa.size != sb.size {
			return false, nil
		}
		return equalBytes(ctx, a, b, name, sa.size)
	case link:
		ta, err := a.readlink(name)
		if err != nil {
			return false, err
		}
		tb, err := b.readlink(name)
		return ta == tb, err
	}
	return true, nil
}

// block is how much is read or written between two looks at whether it has been cancelled: a tenth of a second even on
// a disk that does 10 MB a second.
const block = 1 << 20

func equalBytes(ctx context.Context, a, b *tree, name string, size int64) (bool, error) {
	fa, err := a.open(name)
	if err != nil {
		return false, err
	}
	defer fa.Close()
	fb, err := b.open(name)
	if err != nil {
		return false, err
	}
	defer fb.Close()
	return sameContent(ctx, fa, fb, size)
}

// sameContent reads both to the end; size is how much is expected, for the buffers only.
func sameContent(ctx context.Context, a, b io.Reader, size int64) (bool, error) {
	size = min(size+1, 128<<10)
	x, y := make([]byte, size), make([]byte, size)
	for {
		if err := ctx.Err(); err != nil {
			return false, context.Cause(ctx)
		}
		n, errA := io.ReadFull(a, x)
		m, errB := io.ReadFull(b, y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		if ended(errA) && ended(errB) {
			return true, nil
		}
		if errA != nil && !ended(errA) {
			return false, errA
		}
		if errB != nil && !ended(errB) {
			return false, errB
		}
	}
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// safe says that a path may be written: git never lists another kind, but what it lists was written by others, and a
// `.git` below a worktree decides what the next git does.
func safe(name string) bool {
	if name == "" || strings.HasPrefix(name, "/") || strings.ContainsRune(name, 0) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") {
			return false
		}
	}
	return true
}
