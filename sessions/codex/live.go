package codex

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// loaded tells which sessions of a home some process has open: thread-writer-locks/<id>.lock is there while one does.
// Codex's daemon keeps it for sessions whose terminal is gone, so the lock alone does not say that a session runs.
type loaded struct {
	locked map[string]bool
	holder map[string]holder
}

// holder is the process that has a session's lock or rollout open.
type holder struct {
	pid    int
	daemon bool // it serves several sessions, also such as nobody looks at
}

func newLoaded(home string) loaded {
	l := loaded{locked: map[string]bool{}}
	folder := filepath.Join(home, "thread-writer-locks")
	entries, _ := os.ReadDir(folder) // not there where no session was ever loaded
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
	case !l.locked[id]:
		return agent.Ended, 0
	case held && !h.daemon:
		return agent.Live, h.pid
	}
	return agent.Unknown, 0
}
