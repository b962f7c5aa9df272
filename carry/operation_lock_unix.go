//go:build unix

package carry

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func lockFile(file *os.File) error {
	for {
		switch err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return errLocked
		case !errors.Is(err, unix.EINTR):
			return fmt.Errorf("carry: lock %s: %w", file.Name(), err)
		}
	}
}

func unlockFile(file *os.File) { _ = unix.Flock(int(file.Fd()), unix.LOCK_UN) }
