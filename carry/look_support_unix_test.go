//go:build unix

package carry

import (
	"io/fs"
	"syscall"
	"testing"
	"time"
)

func inodeOf(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }

func makeFIFO(t testing.TB, path string) { t.Helper(); must(t, syscall.Mkfifo(path, 0o644)) }

// old is a time long before any test.
var old = time.Unix(1_000_000_000, 0)
