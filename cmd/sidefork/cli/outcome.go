package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

func (l *line) outcomeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "outcome OPERATION [REPOSITORY]",
		Short: "Say what became of a fork or carry whose answer never came",
		Long: `outcome says what became of a fork or carry in the repository (default: that of the current directory), by its
operation id: whether it is running, completed, was rolled back, or has failed with something left standing. It is known
for a week. What a killed sidefork left behind is taken back first.`,
		Example:           "  sidefork outcome 6f1c2a0e-6d0b-4c6e-9b62-0a8f6b0c4d3e\n  sidefork outcome 6f1c2a0e-6d0b-4c6e-9b62-0a8f6b0c4d3e ~/src/app --json",
		Args:              arguments(1, 2),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: l.does(func(ctx context.Context, args []string) error {
			repository, err := l.place(args[1:])
			if err != nil {
				return err
			}
			p := commands.OutcomeParams{OperationID: args[0], Repository: repository}
			l.call(ctx, "sidefork.outcome", p, show(l, func(r commands.OutcomeResult) { l.showOutcome(r) }))
			return nil
		}),
	}
}

// outcomes are the states in words.
var outcomes = map[string]string{
	"running":          locales.Word("It is running."),
	"completed":        locales.Word("It was completed."),
	"rolledBack":       locales.Word("It was rolled back: everything is as it was before."),
	"failed":           locales.Word("It failed, and something of it stands."),
	"unknownOperation": locales.Word("No operation of this id is known here. One that ended more than a week ago is forgotten."),
}

func (l *line) showOutcome(r commands.OutcomeResult) {
	l.print(l.out, outcomes[r.State])
	var result commands.ForkResult
	if json.Unmarshal(r.Result, &result) == nil && result.Workspace != nil {
		l.fact("workspace", result.Workspace.Path)
	}
	if r.Stands != nil {
		l.fact("workspace", r.Stands.Workspace)
		if r.Stands.Branch != "" {
			l.fact("branch", r.Stands.Branch)
		}
	}
	var failure commands.Failure
	if json.Unmarshal(r.Error, &failure) == nil {
		l.fact("because", failure.Reason.Message)
	}
}
