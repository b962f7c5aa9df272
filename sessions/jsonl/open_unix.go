//go:build unix

package jsonl

import "syscall"

// noWait keeps open from waiting for the other end of a pipe.
const noWait = syscall.O_NONBLOCK
