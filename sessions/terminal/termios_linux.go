package terminal

import "golang.org/x/sys/unix"

const readTermios = unix.TCGETS
