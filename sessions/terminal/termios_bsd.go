//go:build unix && !linux && !aix && !solaris && !illumos

package terminal

import "golang.org/x/sys/unix"

const readTermios = unix.TIOCGETA
