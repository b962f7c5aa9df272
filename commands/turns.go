package commands

import (
	"context"

	"github.com/sidefork/sidefork/sessions"
)

// listTurns gives the turns of one session, for a fork at one of them.
func listTurns(ctx context.Context, env *Env, p SessionsParams) (any, error) {
	switch {
	case p.Session == nil || !p.Turns:
		return nil, refuse("invalidArgument", "what", "session and turns belong together")
	case p.Limit != 0 || p.Cursor != "" || p.Agents != nil:
		return nil, refuse("invalidArgument", "what", "limit, cursor and agents are for a list of sessions, and turns are those of one")
	}
	if err := required("session.agent", p.Session.Agent, "session.id", p.Session.ID); err != nil {
		return nil, err
	}
	all, err := sessions.Turns(ctx, env.sessions(), *p.Session)
	if err != nil {
		return nil, err
	}
	result := TurnsResult{Turns: make([]Turn, 0, len(all))}
	for _, t := range all {
		shape := Turn{ID: t.ID, At: timeOrNil(t.At), Role: t.Role, Text: Printable(t.Text), Forecast: t.Forecast()}
		if t.NotForkable != nil {
			why, _ := reasonOf(t.NotForkable)
			shape.Reason = &why
		}
		result.Turns = append(result.Turns, shape)
	}
	return result, nil
}
