package commands

import (
	"context"
	"encoding/json"

	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/guard"
)

// GuardParams are a command line that is about to be given to a shell.
type GuardParams struct {
	Command string `json:"command"`
	Shell   string `json:"shell"` // posix, powershell, cmd
}

// GuardResult says whether the line may run. Not allowed is also a line of which that cannot be told.
type GuardResult struct {
	Allowed bool    `json:"allowed"`
	Reason  *Reason `json:"reason,omitempty"`
}

// guardLine says whether a command line would write into a session that something else is writing. Nothing is run.
func guardLine(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	var p GuardParams
	if err := decode(argument, &p); err != nil {
		return nil, err
	}
	for _, err := range []error{required("shell", p.Shell), oneOf("shell", p.Shell, "posix", "powershell", "cmd")} {
		if err != nil {
			return nil, err
		}
	}
	no, err := sessions.Guard(ctx, env.sessions(), guard.Shell(p.Shell), p.Command)
	if err != nil {
		return nil, err
	}
	if no == nil {
		return GuardResult{Allowed: true}, nil
	}
	why, _ := reasonOf(no)
	return GuardResult{Reason: &why}, nil
}
