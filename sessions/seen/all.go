package seen

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Folders gives what read makes of each of several folders from the names and files in it, in their order, several at a
// time. It is remembered while nothing at all happens in the folder, where the system tells of that. When ctx ends it gives
// what there is so far.
func Folders[T any](ctx context.Context, m *Memory, paths []string, what string, read func(path string) T) []T {
	results, done := make([]T, len(paths)), make([]bool, len(paths))
	each(ctx, len(paths), func(i int) {
		results[i], done[i] = folderOf(m, paths[i], what, read), true
	})
	values := make([]T, 0, len(paths))
	for i, value := range results {
		if done[i] {
			values = append(values, value)
		}
	}
	return values
}

func folderOf[T any](m *Memory, path, what string, read func(path string) T) T {
	if m == nil {
		return read(path)
	}
	entries, err := m.Entries(path) // which knows when it is another folder
	linked := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Type()&fs.ModeSymlink != 0 })
	m.mu.Lock()
	f := m.folders[path]
	if f == nil || err != nil || linked || !f.watched {
		m.mu.Unlock()
		return read(path)
	}
	old, there := f.made[what]
	at := f.any
	m.mu.Unlock()
	if there && old.at == at {
		return old.value.(T)
	}
	value := read(path)
	m.mu.Lock()
	defer m.mu.Unlock()
	if f.made == nil {
		f.made = map[string]made{}
	}
	f.made[what] = made{value, at}
	return value
}

// each calls f with 0 to n-1, several at a time, until ctx ends.
func each(ctx context.Context, n int, f func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := next.Add(1) - 1; int(i) < n && ctx.Err() == nil; i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	group.Wait()
}

// Failure is a file that could not be read.
type Failure struct {
	Path string
	Err  error
}

// All gives what read makes of each of several files, as File does, in their order, several at a time. One that is not
// there any more is left out. When ctx ends it gives what there is so far.
func All[T any](ctx context.Context, m *Memory, paths []string, what string, read func(path string, f *os.File, info os.FileInfo) (T, error)) (values []T, failed []Failure) {
	type result struct {
		value T
		err   error
		done  bool
	}
	results := make([]result, len(paths))
	each(ctx, len(paths), func(i int) {
		path := paths[i]
		value, err := File(m, path, what, func(f *os.File, info os.FileInfo) (T, error) { return read(path, f, info) })
		results[i] = result{value, err, true}
	})
	values = make([]T, 0, len(paths))
	for i, r := range results {
		switch {
		case !r.done, errors.Is(r.err, fs.ErrNotExist): // it was deleted meanwhile
		case r.err != nil:
			failed = append(failed, Failure{paths[i], r.err})
		default:
			values = append(values, r.value)
		}
	}
	return values, failed
}
