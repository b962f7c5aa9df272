// Package seen remembers what was read of the agents' stores, for as long as it stays as it was.
//
// A Memory stands between an agent's folder and the disk: Entries gives the names in a folder, File what was made of a
// file. A file counts as it was while its size and time are the same; where the system tells of every change (package
// watch), not even that is looked at. In doubt it is read again: after more changes than could be told, in a folder that is
// another one by now, through links, and where a file was read so soon after it was written that its time may not show the
// next change. A nil Memory reads everything each time.
//
// It follows the disk by a moment; Settle takes in all that has happened so far.
package seen

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidefork/sidefork/sessions/jsonl"
	"github.com/sidefork/sidefork/sessions/watch"
)

// coarse is how long a file may be written without its time showing it, on a file system with coarse times.
const coarse = 2 * time.Second

// Memory is what was read. It may be used by several goroutines.
type Memory struct {
	mu      sync.Mutex
	folders map[string]*folder
	watcher *watch.Watcher
	changed func(names bool)
}

// folder is one whose names or files were asked for.
type folder struct {
	info    os.FileInfo // of the folder that was meant
	watched bool
	listed  bool // entries are its names
	events  int  // so far
	entries []os.DirEntry
	files   map[string][]*file
	made    map[string]made
	any     int // events so far, of its files too
	// noticed says that changes are of interest though nothing is remembered: of these names, or all for none.
	noticed bool
	only    []string
}

// file is what was made of a file.
type file struct {
	what    string
	size    int64
	changed time.Time
	read    time.Time
	fresh   bool // nothing has happened to it since
	events  int  // so far
	there   bool // value is
	value   any
}

// made is what was made of a folder's files together.
type made struct {
	value any
	at    int // folder.any then
}

// New makes a Memory that watches what it is asked for until ctx ends, and calls changed from a goroutine of its own when
// something has changed there: with names for what came or went, else for what was written. run runs that goroutine. Where
// the system cannot watch, it goes by sizes and times.
func New(run func(func(ctx context.Context)), changed func(names bool)) *Memory {
	m := &Memory{folders: map[string]*folder{}, changed: changed}
	watcher, err := watch.New()
	if err != nil {
		return m
	}
	m.watcher = watcher
	run(func(ctx context.Context) {
		watcher.Run(ctx, m.happened)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.watcher = nil
		m.doubt()
	})
	return m
}

// Settle takes in what has happened so far. Whoever lists does it first, so that it sees what it has written itself. Where
// it is not certain that all was told, everything is looked at again.
func (m *Memory) Settle() {
	if m == nil {
		return
	}
	m.mu.Lock()
	watcher := m.watcher
	m.mu.Unlock()
	if watcher == nil || watcher.Settle() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.doubt()
}

// Entries gives the names in a folder, in their order, as os.ReadDir does.
func (m *Memory) Entries(path string) ([]os.DirEntry, error) {
	if m == nil {
		return os.ReadDir(path)
	}
	info, err := os.Stat(path)
	if err != nil {
		m.missing(path, err)
		return nil, err
	}
	m.mu.Lock()
	f := m.folder(path, info)
	if f.listed {
		defer m.mu.Unlock()
		return f.entries, nil
	}
	events := f.events
	m.mu.Unlock()
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f.entries, f.listed = entries, f.watched && f.events == events
	for name := range f.files {
		if _, there := slices.BinarySearchFunc(entries, name, func(e os.DirEntry, name string) int { return compare(e.Name(), name) }); !there {
			delete(f.files, name)
		}
	}
	return entries, nil
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// File gives what read makes of a regular file; what names read, for a file of which several things are made.
func File[T any](m *Memory, path, what string, read func(*os.File, os.FileInfo) (T, error)) (T, error) {
	if m == nil {
		return readFile(path, read)
	}
	e, old, watched := m.file(path, what)
	if old.fresh {
		return old.value.(T), nil
	}
	var none T
	info, err := os.Lstat(path)
	if err != nil {
		m.forget(path, what)
		return none, err
	}
	linked := info.Mode()&fs.ModeSymlink != 0
	if linked {
		if info, err = os.Stat(path); err != nil {
			m.forget(path, what)
			return none, err
		}
	}
	same := old.there && info.Size() == old.size && info.ModTime().Equal(old.changed)
	if same && old.read.Sub(old.changed).Abs() > coarse {
		m.keep(e, old, old.value, info, old.read, watched && !linked)
		return old.value.(T), nil
	}
	now := time.Now()
	value, err := readFile(path, func(f *os.File, opened os.FileInfo) (T, error) {
		info = opened
		return read(f, opened)
	})
	if err != nil {
		m.forget(path, what)
		return none, err
	}
	m.keep(e, old, value, info, now, watched && !linked)
	return value, nil
}

func readFile[T any](path string, read func(*os.File, os.FileInfo) (T, error)) (T, error) {
	f, info, err := jsonl.Open(path)
	if err != nil {
		var none T
		return none, err
	}
	defer f.Close()
	return read(f, info)
}

// file gives a file's place, what it is so far, and whether it is watched.
func (m *Memory) file(path, what string) (e *file, old file, watched bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	above, name := split(path)
	f := m.folders[above]
	if f == nil { // nobody has asked for its names
		return &file{what: what}, old, false
	}
	for _, e := range f.files[name] {
		if e.what == what {
			return e, *e, f.watched
		}
	}
	e = &file{what: what}
	f.files[name] = append(f.files[name], e)
	return e, *e, f.watched
}

// keep puts what was read into its place. It is fresh where it is watched and nothing has happened to it since old.
func (m *Memory) keep(e *file, old file, value any, info os.FileInfo, read time.Time, watched bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.value, e.there, e.size, e.changed, e.read = value, true, info.Size(), info.ModTime(), read
	e.fresh = watched && e.events == old.events
}

func (m *Memory) forget(path, what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	above, name := split(path)
	if f := m.folders[above]; f != nil {
		if f.files[name] = slices.DeleteFunc(f.files[name], func(e *file) bool { return e.what == what }); len(f.files[name]) == 0 {
			delete(f.files, name)
		}
	}
}

// split is filepath.Dir and filepath.Base for a clean path, without the cost of cleaning thousands.
func split(path string) (above, name string) {
	i := strings.LastIndexByte(path, filepath.Separator)
	return path[:max(i, 0)], path[i+1:]
}

// Notice has changes in a folder told of which nothing is remembered: of these names, or of all for none.
func (m *Memory) Notice(path string, names ...string) {
	if m == nil {
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		m.missing(path, err)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.folder(path, info).notice(names)
}

func (f *folder) notice(names []string) {
	switch {
	case f.noticed && f.only == nil:
	case len(names) == 0:
		f.only = nil
	default:
		for _, name := range names {
			if !slices.Contains(f.only, name) {
				f.only = append(f.only, name)
			}
		}
	}
	f.noticed = true
}

// missing has it told when the first folder comes that is not there of those on the way to path.
func (m *Memory) missing(path string, err error) {
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		above := filepath.Dir(path)
		var info os.FileInfo
		if info, err = os.Stat(above); err == nil {
			m.mu.Lock()
			defer m.mu.Unlock()
			delete(m.folders, path)
			m.folder(above, info).notice([]string{filepath.Base(path)})
			return
		}
		path = above
	}
}

// folder is what is remembered of a folder, watched where it can be. m.mu is held.
func (m *Memory) folder(path string, info os.FileInfo) *folder {
	f := m.folders[path]
	if f != nil && !os.SameFile(f.info, info) { // another one has its name
		if m.watcher != nil {
			m.watcher.Remove(path)
		}
		f = nil
	}
	if f == nil {
		f = &folder{info: info, files: map[string][]*file{}}
		m.folders[path] = f
	}
	if !f.watched && m.watcher != nil {
		f.watched = m.watcher.Add(path)
	}
	return f
}

// happened ends what is remembered of what has changed.
func (m *Memory) happened(e watch.Event) {
	m.mu.Lock()
	if e.Lost {
		m.doubt()
		m.mu.Unlock()
		m.changed(true)
		return
	}
	told := false
	if own := m.folders[e.Path]; own != nil && e.Names { // the folder itself
		m.watcher.Remove(e.Path)
		delete(m.folders, e.Path)
		told = true
	}
	name := filepath.Base(e.Path)
	if f := m.folders[filepath.Dir(e.Path)]; f != nil {
		f.any++
		for _, one := range f.files[name] {
			one.fresh, one.events = false, one.events+1
		}
		remembered := f.entries != nil
		if e.Names {
			f.listed, f.events = false, f.events+1
		}
		told = told || remembered || f.noticed && (f.only == nil || slices.Contains(f.only, name))
	}
	m.mu.Unlock()
	if told {
		m.changed(e.Names)
	}
}

// doubt has everything looked at again. m.mu is held.
func (m *Memory) doubt() {
	for _, f := range m.folders {
		f.listed, f.watched, f.events = false, f.watched && m.watcher != nil, f.events+1
		f.any++
		for _, files := range f.files {
			for _, one := range files {
				one.fresh, one.events = false, one.events+1
			}
		}
	}
}
