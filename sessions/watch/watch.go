// Package watch tells what happens in folders, as far as the system says so: names that come and go, files that are written.
//
// It is a hint and no promise. A folder of a network's file system is not watched, since what other machines do there is
// not told; nor is one more than Most. On macOS each file in a folder counts too, as one that is open meanwhile; a folder
// that is too large for that is not watched. Whoever goes by it has to look again where Add says no, and after Lost. (On macOS
// and Windows it is compiled and vetted, and has not been run there.)
package watch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Most bounds how many folders are watched at once: the system has a few thousand watches for a whole user.
const Most = 2048

// Event is something that has happened to a name in a folder that is watched, or to the folder itself.
type Event struct {
	Path  string // absolute, below the folder's path as it was added; "" for Lost
	Names bool   // it came, went or was renamed; else it was written, or its mode was changed
	Lost  bool   // more happened than could be told: anything may have changed
}

// Watcher watches folders. It may be used by several goroutines.
type Watcher struct {
	system *fsnotify.Watcher
	mu     sync.Mutex
	added  map[string]int // what each folder costs
	used   int            // what all cost
	most   int

	marks    string // a folder of ours that is watched too, for Settle; "" for none
	settling sync.Mutex
	marked   int64      // the last mark that was made
	told     chan int64 // the marks that were told
}

// New makes one that watches nothing yet. Run has to be called, which closes it.
func New() (*Watcher, error) {
	system, err := fsnotify.NewBufferedWatcher(1024)
	if err != nil {
		return nil, err
	}
	w := &Watcher{system: system, added: map[string]int{}, most: most(), told: make(chan int64, 16)}
	if !inOrder {
		return w, nil
	}
	if marks, err := os.MkdirTemp("", "sidefork-watch-"); err == nil {
		if w.marks = marks; cost(marks) == 0 || system.Add(marks) != nil {
			os.Remove(marks)
			w.marks = ""
		}
	}
	return w, nil
}

// settleWithin bounds how long Settle waits.
const settleWithin = 200 * time.Millisecond

// Settle waits until all that has happened so far was told, and says whether that is certain. Where the system tells in
// order, a file is made, and what is told before it had happened before it; elsewhere it is certain of nothing.
func (w *Watcher) Settle() bool {
	if w.marks == "" {
		return false
	}
	w.settling.Lock()
	defer w.settling.Unlock()
	for len(w.told) > 0 { // of marks that nobody waited for any more
		<-w.told
	}
	w.marked++
	mark := filepath.Join(w.marks, strconv.FormatInt(w.marked, 10))
	f, err := os.OpenFile(mark, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false
	}
	f.Close()
	defer os.Remove(mark)
	timer := time.NewTimer(settleWithin)
	defer timer.Stop()
	for {
		select {
		case n := <-w.told:
			if n == w.marked { // an earlier one came late
				return true
			}
		case <-timer.C:
			return false
		}
	}
}

// isMark takes what is told of the folder of marks.
func (w *Watcher) isMark(e fsnotify.Event) bool {
	if w.marks == "" || filepath.Dir(e.Name) != w.marks {
		return e.Name == w.marks && e.Name != ""
	}
	if n, err := strconv.ParseInt(filepath.Base(e.Name), 10, 64); err == nil && e.Has(fsnotify.Create) {
		select {
		case w.told <- n:
		default: // nobody waits
		}
	}
	return true
}

// Add watches a folder, if it is not yet, and says whether it is. What happens from then on is told.
func (w *Watcher) Add(folder string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.added[folder] > 0 {
		return true
	}
	c := cost(folder)
	if c == 0 || w.used+c > w.most || w.system.Add(folder) != nil {
		return false
	}
	w.added[folder] = c
	w.used += c
	return true
}

// Remove ends the watching of a folder.
func (w *Watcher) Remove(folder string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.used -= w.added[folder]
	delete(w.added, folder)
	_ = w.system.Remove(folder) // it may be gone
}

// Run tells each event, one after the other, until ctx ends.
func (w *Watcher) Run(ctx context.Context, each func(Event)) {
	defer func() {
		w.system.Close()
		if w.marks != "" {
			os.RemoveAll(w.marks)
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-w.system.Events:
			if !open {
				return
			}
			if w.isMark(e) {
				continue
			}
			each(Event{Path: e.Name, Names: e.Has(fsnotify.Create) || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)})
		case err, open := <-w.system.Errors:
			if !open {
				return
			}
			if err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) {
				each(Event{Lost: true})
			}
		}
	}
}
