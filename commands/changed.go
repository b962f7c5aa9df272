package commands

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/sidefork/sidefork/sessions/seen"
)

// What a client that stays is told of by itself: that one of its lists would look different now. Nothing is watched until
// it has asked for such a list, and then only the folders that the list was read from.

const (
	// namesWithin is how soon it is told that something came or went: what else comes with it is told at once.
	namesWithin = 100 * time.Millisecond
	// writesWithin is how soon it is told that something was written: an agent at work writes all the time.
	writesWithin = time.Second
)

// ChangedParams are those of the notification sidefork/changed: what is shown of it should be asked for again.
type ChangedParams struct {
	What      string `json:"what"`                // sessions, workspaces, form
	Workspace string `json:"workspace,omitempty"` // of a form
}

// watched is a memory of folders that is made when it is first asked for.
type watched struct {
	once   sync.Once
	memory *seen.Memory
}

// sessionFolders remembers the agents' stores; nil where nobody stays to be told.
func (e *Env) sessionFolders() *seen.Memory {
	if e.Memory == nil {
		return nil
	}
	return e.Memory.sessions.get(e, "sessions")
}

// watchRepository has the client told when the workspaces of a repository change: which there are, where each is, whose
// child it is.
func (e *Env) watchRepository(commonDir string) {
	if e.Memory == nil {
		return
	}
	m := e.Memory.workspaces.get(e, "workspaces")
	if m == nil {
		return
	}
	linked := filepath.Join(commonDir, "worktrees")
	m.Notice(commonDir, "HEAD", "worktrees")
	m.Notice(filepath.Join(commonDir, "logs"), "HEAD")
	entries, _ := m.Entries(linked) // without any there is no such folder
	for _, entry := range entries {
		own := filepath.Join(linked, entry.Name())
		m.Notice(own, "HEAD", "locked", "sidefork.json")
		m.Notice(filepath.Join(own, "logs"), "HEAD")
	}
}

func (w *watched) get(e *Env, what string) *seen.Memory {
	if e.Notify == nil || e.Background == nil {
		return nil
	}
	w.once.Do(func() {
		t := teller{names: make(chan struct{}, 1), writes: make(chan struct{}, 1), tell: func() {
			e.Notify("sidefork/changed", ChangedParams{What: what})
		}}
		e.Background(t.run)
		w.memory = seen.New(e.Background, t.changed)
	})
	return w.memory
}

// teller tells once of all that changes within a while.
type teller struct {
	names, writes chan struct{}
	tell          func()
}

func (t *teller) changed(names bool) {
	to := t.writes
	if names {
		to = t.names
	}
	select {
	case to <- struct{}{}:
	default: // it is known already
	}
}

func (t *teller) run(ctx context.Context) {
	var due time.Time
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	within := func(d time.Duration) {
		if at := time.Now().Add(d); due.IsZero() || at.Before(due) {
			due = at
			timer.Reset(d)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.names:
			within(namesWithin)
		case <-t.writes:
			within(writesWithin)
		case <-timer.C:
			due = time.Time{}
			t.tell()
		}
	}
}
