package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// registered is an entry of the registry, <home>/sessions/<pid>.json: Claude Code writes it when it starts, takes it away
// when it ends, and leaves it behind when it is killed.
type registered struct {
	PID       int    `json:"pid"`
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
	Name      string `json:"name"`
	Status    string `json:"status"`
	StartedAt int64  `json:"startedAt"` // milliseconds since 1970
	ProcStart string `json:"procStart"` // when the process started, as /proc/PID/stat says it
	PIDDomain string `json:"pidDomain"` // linux:<machine>:pid:[<namespace>]

	state agent.State
}

func (p registered) started() time.Time {
	if p.StartedAt <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(p.StartedAt).UTC()
}

// entryLimit bounds an entry, in bytes; the real ones have about 600.
const entryLimit = 64 << 10

// registry is what a home's entries tell.
type registry struct {
	// byID are the entries by session; the one of a live process where there are several.
	byID map[string]registered
	// torn says that one could not be read of a process that runs: which session that has is not known.
	torn bool
}

// readRegistry reads the entries of a home.
func readRegistry(home string) registry {
	found := registry{byID: map[string]registered{}}
	folder := filepath.Join(home, "sessions")
	files, err := os.ReadDir(folder)
	found.torn = err != nil && !errors.Is(err, fs.ErrNotExist)
	for _, file := range files {
		digits, ok := strings.CutSuffix(file.Name(), ".json") // beside them lie keys, which nobody reads
		pid, err := strconv.Atoi(digits)
		if !ok || err != nil || pid <= 0 {
			continue
		}
		p, err := readEntry(home, pid)
		if err != nil {
			found.torn = found.torn || !errors.Is(err, fs.ErrNotExist) && exists(pid)
			continue
		}
		if p.state = runs(p); p.SessionID == "" {
			continue
		}
		if other, there := found.byID[p.SessionID]; !there || rank(p.state) > rank(other.state) {
			found.byID[p.SessionID] = p
		}
	}
	return found
}

// state is what the registry says of a session. A process that ends takes its entry away.
func (r registry) state(id string) (agent.State, registered) {
	p, there := r.byID[id]
	switch {
	case there:
		return p.state, p
	case r.torn:
		return agent.Unknown, p
	}
	return agent.Ended, p
}

// readEntry reads the entry of one process. One that names no session has an empty id.
func readEntry(home string, pid int) (registered, error) {
	path := filepath.Join(home, "sessions", strconv.Itoa(pid)+".json")
	data, err := jsonl.Small(path, entryLimit)
	if err != nil {
		return registered{}, err
	}
	var p registered
	if err := json.Unmarshal(data, &p); err != nil {
		return registered{}, fmt.Errorf("claude: read %s: %w", path, err)
	}
	if p.PID != pid || !agent.IsUUID(p.SessionID) {
		p.SessionID = ""
	}
	return p, nil
}

func rank(s agent.State) int {
	switch s {
	case agent.Live:
		return 2
	case agent.Unknown:
		return 1
	}
	return 0
}
