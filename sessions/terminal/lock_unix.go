//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sidefork/sidefork/sessions/agent"
)

// hold takes the lock of a record for this process: it ends with it, however that ends. Nothing that is started has it.
func hold(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("terminal: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("terminal: %s is held by another process: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}

// held says whether a process records: whether somebody has the lock.
func held(path string) agent.State {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return agent.Ended
	}
	if err != nil {
		return agent.Unknown
	}
	defer f.Close()
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); {
	case err == nil:
		return agent.Ended // closing gives it back
	case errors.Is(err, unix.EWOULDBLOCK):
		return agent.Live
	}
	return agent.Unknown
}
