package carry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sidefork/sidefork/carry/pulse"
)

// A lock is an open file that is locked for as long as somebody keeps it open: the system frees it when its holder dies,
// however it dies. It is not gofrs/flock's because the file itself is needed: git inherits an operation's lock, so that
// an operation whose git still works is not taken for dead.
type lock struct{ file *os.File }

var errLocked = errors.New("carry: locked by somebody else")

// tryLock takes the lock at path, or gives errLocked. The file is made where it is not there.
func tryLock(path string) (*lock, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, fmt.Errorf("carry: lock: %w", err)
		}
		if err := lockFile(file); err != nil {
			file.Close()
			return nil, err
		}
		// Its holder may have removed the file between our opening and our locking it.
		mine, err := file.Stat()
		if now, e := os.Stat(path); err == nil && e == nil && os.SameFile(mine, now) {
			return &lock{file}, nil
		}
		file.Close()
	}
}

// waitLock takes the lock at path as soon as it is free.
func waitLock(ctx context.Context, path string) (*lock, error) {
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		l, err := tryLock(path)
		if !errors.Is(err, errLocked) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
			pulse.Beat(ctx) // whoever has it is watched on its own
		}
	}
}

// release frees the lock, and what git's children still hold of it.
func (l *lock) release() {
	if l != nil {
		unlockFile(l.file)
		l.file.Close()
	}
}

// removeAndRelease also removes the file, while nobody else can have it locked.
func (l *lock) removeAndRelease() {
	if l != nil {
		os.Remove(l.file.Name())
		l.release()
	}
}
