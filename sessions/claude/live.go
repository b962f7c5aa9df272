package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// process is an entry of the registry, <home>/sessions/<pid>.json: Claude Code writes it when it starts, takes it away
// when it ends, and leaves it behind when it is killed.
type process struct {
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

func (p process) started() time.Time {
	if p.StartedAt <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(p.StartedAt).UTC()
}

// entryLimit bounds an entry, in bytes; the real ones have about 600.
const entryLimit = 64 << 10

// registry gives the entries of a home by session id; the one of a live process where there are several. An entry that
// cannot be read says nothing.
func registry(home string) map[string]process {
	found := map[string]process{}
	folder := filepath.Join(home, "sessions")
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		digits, ok := strings.CutSuffix(entry.Name(), ".json") // beside them lie keys, which nobody reads
		pid, err := strconv.Atoi(digits)
		if !ok || err != nil || pid <= 0 {
			continue
		}
		data, err := jsonl.Small(filepath.Join(folder, entry.Name()), entryLimit)
		if err != nil {
			continue
		}
		var p process
		if json.Unmarshal(data, &p) != nil || p.PID != pid || !agent.IsUUID(p.SessionID) {
			continue
		}
		p.state = runs(p)
		if other, there := found[p.SessionID]; !there || rank(p.state) > rank(other.state) {
			found[p.SessionID] = p
		}
	}
	return found
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
