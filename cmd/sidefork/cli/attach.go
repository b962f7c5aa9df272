package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sessions/terminal"
)

func (l *line) attachCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "attach [NAME]",
		Short: "Show an agent that runs in tmux in this terminal",
		Long: `attach shows an agent that was started with sidefork fork --launch tmux, in this terminal: Ctrl-] d leaves it running. The
agents run in a tmux server of sidefork's own (tmux -L sidefork), apart from yours. Of an agent that has failed attach
prints the last screen, and lets go of it. Without NAME, it says which there are, or shows the one that there is. Where
its output is no terminal it prints the screen.`,
		Example: "  sidefork attach\n  sidefork attach try-cache",
		Args:    arguments(0, 1),
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if isElsewhere(c) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var words []cobra.Completion
			_, panes, err := l.panes(context.Background())
			for _, p := range panes {
				words = append(words, cobra.CompletionWithDesc(p.Name, commands.Printable(p.Folder)))
			}
			if err != nil || len(args) > 0 {
				words = nil
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: l.does(func(ctx context.Context, args []string) error {
			if err := l.attach(ctx, args); err != nil {
				l.refuse(asFailure(err))
			}
			return nil
		}),
	}
}

// panes are the agents in our tmux server.
func (l *line) panes(ctx context.Context) (*terminal.Tmux, []terminal.Pane, error) {
	tmux, err := commands.FindTmux(ctx, l.env)
	if err != nil {
		return nil, nil, err
	}
	panes, err := tmux.Sessions(ctx)
	return tmux, panes, err
}

func (l *line) attach(ctx context.Context, args []string) error {
	tmux, panes, err := l.panes(ctx)
	if err != nil {
		return err
	}
	if len(args) == 0 && (len(panes) != 1 || l.json) {
		return l.showPanes(panes)
	}
	at := -1
	for i, p := range panes {
		if len(args) == 0 || p.Name == args[0] {
			at = i
		}
	}
	if at < 0 {
		return commands.Refuse("terminalUnknown", "name", args[0])
	}
	pane := panes[at]
	if !pane.Dead && l.outTerminal && l.inTerminal {
		l.status, err = l.agent(context.WithoutCancel(ctx), commands.Launch{
			Argv: tmux.Attach(pane.Name), Cwd: string(os.PathSeparator), Env: map[string]*string{"TMUX": nil, "TMUX_PANE": nil}, // of a tmux around us
		})
		if err != nil {
			return err
		}
		after, err := tmux.Sessions(ctx)
		i := slices.IndexFunc(after, func(p terminal.Pane) bool { return p.Name == pane.Name })
		if err != nil || i < 0 || !after[i].Dead {
			return err
		}
		pane = after[i]
	}
	shown, err := tmux.Screen(ctx, pane.Name)
	if err != nil {
		return err
	}
	for part := range strings.SplitSeq(strings.TrimRight(shown, "\n"), "\n") {
		fmt.Fprintln(l.out, commands.Printable(part))
	}
	if pane.Dead {
		l.print(l.err, "sidefork: the agent has ended with exit status %d.", pane.Status)
		if pane.Status != 0 {
			l.status = exitFailed
		}
		return tmux.Forget(ctx, pane.Name)
	}
	return nil
}

// showPanes is a table of the agents in tmux.
func (l *line) showPanes(panes []terminal.Pane) error {
	if l.json {
		if panes == nil {
			panes = []terminal.Pane{}
		}
		return json.NewEncoder(l.out).Encode(map[string]any{"terminals": panes})
	}
	if len(panes) == 0 {
		l.print(l.out, "There are no agents in tmux.")
		return nil
	}
	rows := [][]string{l.headings("NAME", "FOLDER", "STATE")}
	for _, p := range panes {
		state := l.say("live")
		if p.Dead {
			state = l.say("ended with exit status %d", p.Status)
		}
		rows = append(rows, []string{p.Name, p.Folder, state})
	}
	l.headed(rows, 1)
	return nil
}
