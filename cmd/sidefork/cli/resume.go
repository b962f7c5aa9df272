package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

func (l *line) resumeCommand() *cobra.Command {
	var session string
	c := &cobra.Command{
		Use:   "resume --session AGENT:ID",
		Short: "Take up a session where nothing else writes into it",
		Long: `resume starts the agent of a session in this terminal, in the session's own folder and account, to go on with that very
conversation. One that runs, or of which that cannot be told, is refused: two writers spoil it. Without a terminal, and
with --json, the command is printed and nothing is started.`,
		Example:           "  sidefork resume --session claude:3309aa6e-79d4-40b8-818f-70e5ac72c124",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	c.Flags().StringVar(&session, "session", "", "the session, as `AGENT:ID`; the beginning of an id will do")
	c.RunE = l.does(func(ctx context.Context, _ []string) error {
		if session == "" {
			return errors.New("say which session: --session AGENT:ID")
		}
		workspace, err := l.place(nil)
		if err != nil {
			return err
		}
		named, err := l.named(ctx, session, workspace)
		if err != nil || named == nil {
			return err
		}
		a := l.ask(ctx, "sidefork.resume", commands.ResumeParams{Session: named})
		var r commands.ResumeResult
		if a.done() && l.inTerminal && l.outTerminal && !l.json && json.Unmarshal(a.result, &r) == nil {
			l.start(ctx, r.Launch)
			return nil
		}
		l.tell(a, show(l, func(r commands.ResumeResult) { fmt.Fprintln(l.out, l.commandLine(r.Launch)) }))
		return nil
	})
	return c
}
