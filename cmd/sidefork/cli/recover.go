package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
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
					fmt.Fprintln(l.out, "There is nothing to recover.")
				}
				for _, o := range r.Recovered {
					what := "Taken back"
					switch o.Action {
					case "finished":
						what = "Finished"
					case "kept":
						what = "Kept"
					case "failed":
						what = "Could not be taken back yet"
					}
					fmt.Fprintf(l.out, "%s: %s (operation %s)\n", what, commands.Printable(o.Workspace), commands.Printable(o.OperationID))
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
