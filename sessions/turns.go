package sessions

import (
	"context"
	"fmt"

	"github.com/sidefork/sidefork/sessions/agent"
)

// Turn is what began a turn of a conversation.
type Turn = agent.Turn

// Turns gives the turns of a session, oldest first. It reads the whole transcript. Refused: agentUnknown, invalidSession,
// sessionUnknown, turnsUnknown; what keeps the session from being forked.
func Turns(ctx context.Context, c Config, id ID) ([]Turn, error) {
	agents, err := chosen([]string{id.Agent})
	if err != nil {
		return nil, err
	}
	if agents[0].Turns == nil {
		return nil, agent.Refuse("turnsUnknown", "agent", id.Agent)
	}
	s, err := Find(ctx, c, id)
	if err != nil {
		return nil, err
	}
	if s.NotForkable != nil && s.Source == "" || s.NotForkable != nil && s.NotForkable.Code == "sessionBroken" {
		return nil, s.NotForkable
	}
	all, err := agents[0].Turns(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("sessions: the turns of %s: %w", id.ID, err)
	}
	return all, nil
}
