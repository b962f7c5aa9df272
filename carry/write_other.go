//go:build !linux

package carry

import "os"

func clone(_, _ *os.File) (done, never bool) { return false, true }
