package claude

import (
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/process"
)

// at looks for the processes' own entries in the registry.
func at(homes agent.Homes, running []process.Process) []agent.Seat {
	var seats []agent.Seat
	for _, home := range homes.All() {
		for _, p := range running {
			entry, err := readEntry(home, p.PID)
			if err != nil || entry.SessionID == "" {
				continue
			}
			if its, certain := entry.of(p); its {
				seats = append(seats, agent.Seat{Process: p, ID: entry.SessionID, Home: home, Certain: certain})
			}
		}
	}
	return seats
}

// registration is how long after its start a process writes its entry, at most.
const registration = time.Minute

// of says whether the entry is that of the process, which is certain where number and start are the same. Where the
// system does not give the start as the entry does, its time has to be near.
func (p registered) of(running process.Process) (its, certain bool) {
	if _, space, ok := strings.Cut(p.PIDDomain, ":pid:"); ok && "pid:"+space != process.Space() {
		return false, false // a number of another container
	}
	if p.ProcStart != "" && running.Start != "" {
		return p.ProcStart == running.Start, true
	}
	if p.started().IsZero() || running.Started.IsZero() {
		return false, false
	}
	after := p.started().Sub(running.Started)
	return after > -2*time.Second && after < registration, false
}
