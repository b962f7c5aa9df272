package cli

import (
	"context"
	"encoding/json"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

func (l *line) guardCommand() *cobra.Command {
	ask := commands.GuardParams{Shell: "posix"}
	if runtime.GOOS == "windows" {
		ask.Shell = "powershell"
	}
	c := &cobra.Command{
		Use:   "guard -- LINE",
		Short: "Say whether a command line would write into a session that runs",
		Long: `guard reads LINE, one argument, as a shell would, and says whether it would take up a conversation that another agent
is writing: two writers spoil it. Nothing is run. What cannot be understood (a variable that counts, eval, an alias) is
not allowed either while a session runs. Exit status: 0 allowed, 3 not allowed.`,
		Example: "  sidefork guard -- 'claude --resume 3309aa6e-79d4-40b8-818f-70e5ac72c124'\n  sidefork guard --shell powershell --json -- 'claude --continue'",
		Args:    cobra.ExactArgs(1), ValidArgsFunction: cobra.NoFileCompletions,
	}
	shells := []string{"posix", "powershell", "cmd"}
	c.Flags().Var(choice{&ask.Shell, shells}, "shell", "the shell that LINE is for, `posix|powershell|cmd` (default "+ask.Shell+")")
	complete(c, "shell", shells...)
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		ask.Command = args[0]
		a := l.ask(ctx, "sidefork.guard", ask)
		l.tell(a, show(l, l.showGuarded))
		var r commands.GuardResult
		if a.done() && json.Unmarshal(a.result, &r) == nil && !r.Allowed {
			l.status = exitRefused
		}
		return nil
	})
	return c
}

func (l *line) showGuarded(r commands.GuardResult) {
	if r.Allowed {
		l.print(l.out, "It may run.")
		return
	}
	l.print(l.out, "It should not run.")
	if r.Reason != nil {
		l.fact("because", r.Reason.Message)
		l.fact("remedy", r.Reason.Remedy)
	}
}
