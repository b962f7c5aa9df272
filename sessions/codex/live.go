package codex

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/process"
)

// loaded tells which sessions of a home some process has open: thread-writer-locks/<id>.lock is there while one does.
// Codex's daemon keeps it for sessions whose terminal is gone, so the lock alone does not say that a session runs.
type loaded struct {
	locked map[string]bool
	holder map[string]holder
	torn   bool // the locks cannot be read
}

// holder is the process that has a session's lock or rollout open.
type holder struct {
	pid     int
	daemon  bool      // it serves several sessions, also such as nobody looks at
	started time.Time // zero where it cannot be told
}

func newLoaded(home string) loaded {
	l := loaded{locked: map[string]bool{}}
	folder := filepath.Join(home, "thread-writer-locks")
	entries, err := os.ReadDir(folder) // not there where no session was ever loaded
	l.torn = err != nil && !errors.Is(err, fs.ErrNotExist)
	for _, entry := range entries {
		if id, ok := strings.CutSuffix(entry.Name(), ".lock"); ok && agent.IsUUID(id) {
			l.locked[id] = true
		}
	}
	if len(l.locked) > 0 {
		if physical, err := filepath.EvalSymlinks(home); err == nil {
			l.holder = holders(physical)
		}
	}
	return l
}

func (l loaded) state(id string) (agent.State, int) {
	h, held := l.holder[id]
	switch {
	case !l.locked[id] && !l.torn:
		return agent.Ended, 0
	case held && !h.daemon:
		return agent.Live, h.pid
	}
	return agent.Unknown, 0
}

// openSession is the session that an open file of a home belongs to; "" for any other file.
func openSession(path string) string {
	if id, ok := strings.CutSuffix(filepath.Base(path), ".lock"); ok && filepath.Base(filepath.Dir(path)) == "thread-writer-locks" {
		return id
	}
	return idOf(path)
}

// at looks which sessions the processes have open. The shared server may have any, whoever looks at them.
func at(homes agent.Homes, running []process.Process) []agent.Seat {
	var seats []agent.Seat
	for _, home := range homes.All() {
		physical, err := filepath.EvalSymlinks(home)
		if err != nil {
			continue
		}
		for _, p := range running {
			if slices.ContainsFunc(p.Arguments(), func(a string) bool { return strings.Contains(a, "app-server") }) {
				continue
			}
			seen := map[string]bool{}
			for _, path := range p.Open() {
				id := openSession(path)
				if id == "" || seen[id] || !agent.Within(physical, path) {
					continue
				}
				seen[id] = true
				seats = append(seats, agent.Seat{Process: p, ID: id, Home: home, Certain: true})
			}
		}
	}
	return seats
}
