package commands

import (
	"context"
	"encoding/json"

	"github.com/sidefork/sidefork/sessions"
)

// LocateParams name a process, such as the shell of a terminal.
type LocateParams struct {
	PID int `json:"pid"`
}

// LocateResult is the session that runs under a process. Certain: the agent's own records name the process.
type LocateResult struct {
	Session Session `json:"session"`
	Certain bool    `json:"certain"`
}

// locate finds the session that runs in a terminal; null where there is none.
func locate(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	var p LocateParams
	if err := decode(argument, &p); err != nil {
		return nil, err
	}
	if p.PID <= 0 {
		return nil, refuse("invalidArgument", "what", "pid is missing, or no number of a process")
	}
	found, err := sessions.Locate(ctx, env.sessions(), p.PID)
	if err != nil || found == nil {
		return nil, err
	}
	var j judge // the session is judged for its own workspace
	if at, err := open(ctx, found.Session.Cwd); err == nil {
		if all, err := at.Siblings(ctx); err == nil {
			j.tops = paths(all)
		}
	}
	page, err := describePage(ctx, env, sessions.Page{Sessions: []sessions.Session{found.Session}}, j)
	if err != nil {
		return nil, err
	}
	return LocateResult{Session: page.Sessions[0], Certain: found.Certain}, nil
}
