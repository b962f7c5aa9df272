package cli

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

func (l *line) recoverCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "recover [REPOSITORY]",
		Short: "Take back what a killed sidefork left behind",
		Long: `recover takes back the forks, carries, removals and archivings of the repository (default: that of the current directory) that were cut off
by a crash or a power cut. It removes nothing that is not sidefork's own: what holds other work is kept, and named.`,
		Example:           "  sidefork recover\n  sidefork recover ~/src/app --json",
		Args:              arguments(0, 1),
		ValidArgsFunction: folders,
		RunE: l.does(func(ctx context.Context, args []string) error {
			repository, err := l.place(args)
			if err != nil {
				return err
			}
			argument := commands.RecoverParams{Repository: repository}
			a := l.ask(ctx, "sidefork.recover", argument)
			l.tell(a, show(l, func(r commands.RecoverResult) {
				if len(r.Recovered) == 0 {
					l.print(l.out, "There is nothing to recover.")
				}
				for _, o := range r.Recovered {
					what := locales.Word("Taken back: %s (operation %s)")
					switch o.Action {
					case "finished":
						what = locales.Word("Finished: %s (operation %s)")
					case "kept":
						what = locales.Word("Kept: %s (operation %s)")
					case "failed":
						what = locales.Word("Could not be taken back yet: %s (operation %s)")
					}
					l.print(l.out, what, commands.Printable(o.Workspace), commands.Printable(o.OperationID))
					for _, path := range o.Paths {
						l.fact("holds", path)
					}
					if o.Detail != "" {
						l.fact("because", o.Detail)
					}
				}
			}))
			var r commands.RecoverResult
			if json.Unmarshal(a.result, &r) == nil && slices.ContainsFunc(r.Recovered, func(o commands.Recovered) bool { return o.Action == "failed" }) {
				l.status = exitFailed
			}
			return nil
		}),
	}
}
