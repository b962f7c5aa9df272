package sessions

import (
	"context"

	"github.com/sidefork/sidefork/sessions/agent"
)

// Installed tells where an agent's program is and which version it says it is. Refused: agentUnknown, agentNotInstalled,
// agentProbeFailed; program is known for the last one.
func Installed(ctx context.Context, c Config, name string) (program string, v agent.Version, err error) {
	agents, err := chosen([]string{name})
	if err != nil {
		return "", v, err
	}
	if program, err = c.program(agents[0]); err != nil {
		return "", v, err
	}
	v, _, err = c.version(ctx, agents[0], program)
	return program, v, err
}

// Usable refuses an agent with which PrepareLaunch would refuse any session: agentUnknown, agentNotInstalled, agentTooOld,
// agentProbeFailed.
func Usable(ctx context.Context, c Config, name string) error {
	agents, err := chosen([]string{name})
	if err != nil {
		return err
	}
	program, err := c.program(agents[0])
	if err != nil {
		return err
	}
	_, err = c.usable(ctx, agents[0], program)
	return err
}
