package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

// turns lists the turns of one session.
func (l *line) turns(ctx context.Context, c *cobra.Command, ask commands.SessionsParams, session string) error {
	if !ask.Turns || session == "" {
		return errors.New("--turns and --session AGENT:ID belong together")
	}
	if err := exclude(c.Flags(), []string{"turns", "scope"}, []string{"turns", "agent"}, []string{"turns", "limit"}); err != nil {
		return err
	}
	named, err := l.named(ctx, session, ask.Workspace)
	if err != nil {
		return err
	}
	l.tell(l.ask(ctx, "sidefork.sessions", commands.SessionsParams{Session: named, Turns: true}), show(l, l.showTurns))
	return nil
}

// showTurns is a table of turns. Their ids are shown whole: they are copied into --at.
func (l *line) showTurns(r commands.TurnsResult) {
	if len(r.Turns) == 0 {
		l.print(l.out, "It has no turns yet.")
		return
	}
	rows := [][]string{l.headings("TURN", "BEGAN", "TEXT", "FORK")}
	for _, t := range r.Turns {
		began, how := "?", l.say("native")
		if t.At != nil {
			began = t.At.Format(time.DateTime)
		}
		if t.Reason != nil {
			how = l.say("none") + ": " + t.Reason.Message
		}
		rows = append(rows, []string{t.ID, began, clip(t.Text, 72), how})
	}
	l.headed(rows, 2)
}
