package sessions

import (
	"context"

	"github.com/sidefork/sidefork/sessions/agent"
)

// PrepareResume gives the command that takes up a session itself, in its own folder, with the user's own arguments.
// Nothing is written. Refused: sessionInUse and sessionMaybeInUse, since two writers spoil a conversation; transcriptOnly;
// whatever keeps it from being forked; missing, where its folder is gone; agentNotInstalled.
func PrepareResume(ctx context.Context, c Config, s Session) (Launch, error) {
	if s.Recorded {
		return Launch{}, agent.Refuse("transcriptOnly", "agent", s.ID.Agent)
	}
	agents, err := chosen([]string{s.ID.Agent})
	if err != nil {
		return Launch{}, err
	}
	a := agents[0]
	switch {
	case !a.Valid(s.ID.ID):
		return Launch{}, agent.Refuse("invalidSession", "id", s.ID.ID)
	case s.NotForkable != nil:
		return Launch{}, s.NotForkable
	case !agent.IsFolder(s.Cwd):
		return Launch{}, agent.Refuse("missing", "path", s.Cwd)
	}
	if no, err := c.inUse(ctx, s.ID); err != nil {
		return Launch{}, err
	} else if no != nil {
		return Launch{}, no
	}
	program, err := c.program(a)
	if err != nil {
		return Launch{}, err
	}
	arguments, env := a.Resume(s)
	argv := append([]string{program}, c.Arguments[a.Name]...)
	return Launch{Argv: append(argv, arguments...), Cwd: s.Cwd, Env: env, Session: s.ID}, nil
}
