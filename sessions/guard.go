package sessions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/guard"
)

// Guard refuses a command line that would write into a session which something else is writing: two writers spoil a
// conversation. nil: it writes into none that runs. Refused: sessionInUse, sessionMaybeInUse for one that may run,
// resumeMayConflict where the line does not name the session, resumeUnclear where it cannot be understood and something
// runs. The error is that of ctx.
func Guard(ctx context.Context, c Config, shell guard.Shell, line string) (*Refusal, error) {
	reading := guard.Read(shell, line, c.guarded())
	var worst *Refusal
	for _, target := range reading.Targets {
		no, err := c.inUse(ctx, target)
		if err != nil {
			return nil, err
		}
		if no != nil && (worst == nil || no.Code == "sessionInUse") {
			worst = no
		}
	}
	if worst != nil || reading.Unclear == "" {
		return worst, nil
	}
	for _, a := range Agents() {
		running, err := c.running(ctx, a)
		if err != nil {
			return nil, err
		}
		if len(running) > 0 {
			return agent.Refuse("resumeUnclear", "what", reading.Unclear), nil
		}
	}
	return nil, nil
}

// guarded is what a line is searched for: each agent, also under the name that the user's settings give its program.
func (c Config) guarded() []guard.Agent {
	var all []guard.Agent
	for _, a := range Agents() {
		g := guard.Agent{Name: a.Name, Programs: []string{a.Program}, Package: a.Package, Resumes: a.Resumes}
		if own := filepath.Base(c.Programs[a.Name]); c.Programs[a.Name] != "" {
			g.Programs = append(g.Programs, own, strings.TrimSuffix(own, filepath.Ext(own)))
		}
		all = append(all, g)
	}
	return all
}

// inUse says why a session must not be written into; nil where nothing has it open. Of one that is not named any may be
// meant.
func (c Config) inUse(ctx context.Context, target ID) (*Refusal, error) {
	agents, err := chosen([]string{target.Agent})
	if err != nil {
		return nil, err
	}
	a := agents[0]
	if target.ID == "" {
		running, err := c.running(ctx, a)
		if err != nil || len(running) == 0 {
			return nil, err
		}
		return agent.Refuse("resumeMayConflict", "agent", a.Name, "id", running[0].ID.ID), nil
	}
	found, _ := a.Find(ctx, a.Homes(c.getenv, c.Homes[a.Name]), target.ID)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case slices.ContainsFunc(found, func(s Session) bool { return s.State == agent.Live }):
		return agent.Refuse("sessionInUse", "agent", a.Name, "id", target.ID), nil
	case slices.ContainsFunc(found, func(s Session) bool { return s.State != agent.Ended }):
		return agent.Refuse("sessionMaybeInUse", "agent", a.Name, "id", target.ID), nil
	}
	return nil, nil
}

// running are an agent's sessions that run, then those that may.
func (c Config) running(ctx context.Context, a agent.Agent) ([]Session, error) {
	found, _ := a.List(ctx, nil, a.Homes(c.getenv, c.Homes[a.Name]), nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var live, unknown []Session
	for _, s := range found {
		switch s.State {
		case agent.Live:
			live = append(live, s)
		case agent.Ended:
		default:
			unknown = append(unknown, s)
		}
	}
	return append(live, unknown...), nil
}

// forksOnly refuses a launch of our own that would write into a session that exists: the user's arguments may make a
// resume of a fork.
func forksOnly(a agent.Agent, l Launch) error {
	argv, fork := slices.Clone(l.Argv[1:]), l.Session.ID
	if fork == "" {
		fork = uuid.NewString() // stands for an id that is not known yet
		if i := slices.Index(argv, agent.Pending); i >= 0 && l.Import != nil {
			argv[i] = fork
		}
	}
	targets, clear := a.Resumes(agent.Words(argv...))
	if l.Import != nil { // the fork exists already when it is started, and nobody else knows it
		targets = slices.DeleteFunc(targets, func(id string) bool { return id == fork })
	}
	if len(targets) > 0 || !clear {
		return agent.Refuse("invalidArgument", "what", "the user's own arguments for "+a.Name+" resume a session instead of forking it")
	}
	return nil
}
