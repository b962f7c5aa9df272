// Package watch tells what happens in folders, as far as the system says so: names that come and go, files that are written.
//
// It is a hint and no promise. A folder of a network's file system is not watched, since what other machines do there is
// not told; nor is one more than Most. Whoever goes by it has to look again where Add says no, and after Lost.
package watch

import (
	"context"
	"errors"
	"sync"

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
	added  map[string]bool
}

// New makes one that watches nothing yet. Run has to be called, which closes it.
func New() (*Watcher, error) {
	system, err := fsnotify.NewBufferedWatcher(1024)
	if err != nil {
		return nil, err
	}
	return &Watcher{system: system, added: map[string]bool{}}, nil
}

// Add watches a folder, if it is not yet, and says whether it is. What happens from then on is told.
func (w *Watcher) Add(folder string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.added[folder] {
		return true
	}
	if len(w.added) >= Most || !told(folder) || w.system.Add(folder) != nil {
		return false
	}
	w.added[folder] = true
	return true
}

// Remove ends the watching of a folder.
func (w *Watcher) Remove(folder string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.added, folder)
	_ = w.system.Remove(folder) // it may be gone
}

// Run tells each event, one after the other, until ctx ends.
func (w *Watcher) Run(ctx context.Context, each func(Event)) {
	defer w.system.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-w.system.Events:
			if !open {
				return
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
