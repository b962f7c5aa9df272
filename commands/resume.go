package commands

import (
	"context"
	"encoding/json"

	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
)

// ResumeParams name the session that is to be taken up.
type ResumeParams struct {
	Session *agent.ID `json:"session"`
}

// ResumeResult is how it is started, by the client.
type ResumeResult struct {
	Launch Launch `json:"launch"`
}

// resume gives the command that takes up a session itself, where nothing else writes into it. It starts nothing: what is
// true when it answers may not be a minute later, so a client asks right before it starts the agent.
func resume(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	var p ResumeParams
	if err := decode(argument, &p); err != nil {
		return nil, err
	}
	if p.Session == nil {
		return nil, refuse("invalidArgument", "what", "session is missing")
	}
	s, err := sessions.Find(ctx, env.sessions(), *p.Session)
	if err != nil {
		return nil, err
	}
	launch, err := sessions.PrepareResume(ctx, env.sessions(), s)
	if err != nil {
		return nil, err
	}
	return ResumeResult{Launch: *describeLaunch(&launch)}, nil
}
