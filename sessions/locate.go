package sessions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/process"
)

// Located is a session that runs under a process.
type Located struct {
	Session Session
	// Certain says that the agent's own records name the process. Else only its arguments, its folder and the time speak
	// for the session, or several would fit.
	Certain bool
}

// startSlack is how much older than its process a session may call itself: the system's times are whole seconds.
const startSlack = 2 * time.Second

// Locate finds the session that runs under the process pid, say a terminal's shell: of several that which its keys go to,
// then the nearest one. nil where there is none, also where pid is no process. Refused: processesUnknown.
func Locate(ctx context.Context, c Config, pid int) (*Located, error) {
	running, err := c.below(pid)
	if err != nil {
		return nil, agent.Refuse("processesUnknown", "what", err.Error())
	}
	slices.SortStableFunc(running, func(a, b process.Process) int { return rank(a) - rank(b) })
	var found []Located
	for _, a := range Agents() {
		if a.At == nil {
			continue // it keeps no record of its processes: guess
		}
		homes := a.Homes(c.getenv, c.Homes[a.Name])
		for _, seat := range a.At(homes, running) {
			if s := sessionAt(ctx, a, homes, seat); s != nil {
				found = append(found, Located{Session: *s, Certain: seat.Certain})
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	place := func(l Located) int {
		return slices.IndexFunc(running, func(p process.Process) bool { return p.PID == l.Session.PID })
	}
	slices.SortStableFunc(found, func(a, b Located) int {
		if order := place(a) - place(b); order != 0 {
			return order
		}
		return b.Session.LastActivity.Compare(a.Session.LastActivity)
	})
	if len(found) == 0 {
		if s := c.recordedAt(running); s != nil {
			return &Located{Session: *s, Certain: true}, nil
		}
		return c.guess(ctx, running)
	}
	best := found[0]
	if len(found) > 1 && rank(running[place(found[1])]) == rank(running[place(best)]) {
		best.Certain = false
	}
	return &best, nil
}

// rank orders the processes of a terminal: those in the foreground first, then by how near they are.
func rank(p process.Process) int {
	if p.Foreground {
		return p.Depth
	}
	return p.Depth + 1<<20
}

func (c Config) below(pid int) ([]process.Process, error) {
	if c.Below == nil {
		return process.Below(pid)
	}
	return c.Below(pid)
}

// sessionAt is the session of a seat; nil for one that has no conversation of its own, as a subagent's.
func sessionAt(ctx context.Context, a agent.Agent, homes agent.Homes, seat agent.Seat) *Session {
	all, _ := a.Find(ctx, homes, seat.ID)
	for _, s := range all {
		if s.Home == seat.Home && (s.NotForkable == nil || s.NotForkable.Code != "sessionSubagent") {
			s.PID = seat.Process.PID
			if s.State == agent.Ended {
				s.State = agent.Unknown // its process is there
			}
			return &s
		}
	}
	return nil
}

// guess finds the session of an agent that runs and that no record tells of: the one that its arguments name, else the
// last one that was begun in its folder since it started.
func (c Config) guess(ctx context.Context, running []process.Process) (*Located, error) {
	for _, p := range running {
		arguments := p.Arguments()
		for _, a := range Agents() {
			if !runsAs(a, p, arguments) {
				continue
			}
			homes := a.Homes(c.getenv, c.Homes[a.Name])
			s := named(ctx, a, homes, arguments)
			if s == nil {
				s = begun(ctx, a, homes, p)
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if s != nil {
				if s.PID = p.PID; s.State == agent.Ended {
					s.State = agent.Unknown
				}
				return &Located{Session: *s}, nil
			}
		}
	}
	return nil, nil
}

// runsAs says whether a process is an agent's program, by the names that it has.
func runsAs(a agent.Agent, p process.Process, arguments []string) bool {
	names := []string{p.Name}
	if len(arguments) > 0 {
		names = append(names, filepath.Base(arguments[0]))
	}
	return slices.ContainsFunc(names, func(name string) bool { return strings.TrimSuffix(name, ".exe") == a.Program })
}

func named(ctx context.Context, a agent.Agent, homes agent.Homes, arguments []string) *Session {
	if len(arguments) < 2 {
		return nil
	}
	targets, _ := a.Resumes(agent.Words(arguments[1:]...))
	if len(targets) != 1 || targets[0] == "" {
		return nil
	}
	all, _ := a.Find(ctx, homes, targets[0])
	if len(all) == 0 {
		return nil
	}
	return &merge(all)[0]
}

func begun(ctx context.Context, a agent.Agent, homes agent.Homes, p process.Process) *Session {
	folder := p.Folder()
	if folder == "" || p.Started.IsZero() {
		return nil
	}
	all, _ := a.List(ctx, nil, homes, []string{folder})
	for _, s := range merge(all) { // newest first
		elsewhere := s.State == agent.Live && s.PID != p.PID
		if s.Cwd == folder && !elsewhere && !s.StartedAt.Before(p.Started.Add(-startSlack)) {
			return &s
		}
	}
	return nil
}
