package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

func (l *line) locateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "locate PID",
		Short: "Find the session that runs in a terminal",
		Long: `locate finds the session of an agent that runs under the process PID, say the shell of a terminal (echo $$). "likely"
says that only folder, time or arguments speak for it.`,
		Example:           "  sidefork locate 4711\n  sidefork locate 4711 --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: l.does(func(ctx context.Context, args []string) error {
			pid, err := strconv.Atoi(args[0])
			if err != nil || pid <= 0 {
				return fmt.Errorf("%s is no number of a process", args[0])
			}
			l.call(ctx, "sidefork.locate", commands.LocateParams{PID: pid}, show(l, l.showLocated))
			return nil
		}),
	}
}

func (l *line) showLocated(r *commands.LocateResult) {
	if r == nil {
		l.print(l.out, "No session runs there.")
		return
	}
	l.showSessions(commands.SessionsResult{Sessions: []commands.Session{r.Session}}, true)
	if !r.Certain {
		l.print(l.out, "That is likely, not certain.")
	}
}
