package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

func (l *line) inspectCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "inspect [WORKSPACE]",
		Short: "Show what there is to fork in a workspace",
		Long: `inspect shows what a fork dialog would: the workspace (default: the current directory), its commit, its uncommitted
changes, its sessions, the name that is free, and why something is not possible.`,
		Example:           "  sidefork inspect\n  sidefork inspect ~/src/app --json",
		Args:              arguments(0, 1),
		ValidArgsFunction: folders,
		RunE: l.does(func(ctx context.Context, args []string) error {
			workspace, err := l.place(args)
			if err != nil {
				return err
			}
			l.call(ctx, "sidefork.inspect", commands.InspectParams{Workspace: workspace}, show(l, l.showInspection))
			return nil
		}),
	}
}

func (l *line) showInspection(i commands.Inspection) {
	w := i.Workspace
	fmt.Fprintln(l.out, commands.Printable(w.Path))
	on := w.Branch
	if on == "" {
		on = l.say("no branch")
	}
	l.fact("at", on+" "+short(i.Base.Head))
	switch {
	case w.Fork.Reason != nil:
		l.fact("fork", l.say("not possible: %s", w.Fork.Reason.Message+" "+w.Fork.Reason.Remedy))
	default:
		l.fact("fork", l.say("possible, for example as %s", i.SuggestedName))
	}
	if w.Parent != nil {
		l.fact("parent", *w.Parent)
	}
	l.fact("changes", l.counts(i.Changes, 0, 0))
	if i.Carry.Reason != nil {
		l.fact("carry", l.say("not possible: %s", i.Carry.Reason.Message))
	}
	l.showLeft(i.Changes.Left)
	if i.Base.RepositoryDefault != "" {
		l.fact("default", i.Base.RepositoryDefault)
	}
	if i.Setup != nil {
		l.showSetup(*i.Setup)
	}
	if i.SetupProblem != nil {
		l.fact("setup", l.say("not possible: %s", i.SetupProblem.Message))
	}
	fmt.Fprintln(l.out)
	l.showSessions(commands.SessionsResult{Sessions: i.Sessions}, false)
}

// showSetup shows what a setup would run, and whether it may.
func (l *line) showSetup(s commands.SetupInfo) {
	how := locales.Word("%s, not trusted, policy %s")
	if s.Trusted {
		how = locales.Word("%s, trusted, policy %s")
	}
	l.fact("setup", l.say(how, s.Source, s.Policy))
	l.fact("", l.say("hash %s", s.Hash))
	for _, command := range s.Commands {
		for part := range strings.SplitSeq(command, "\n") {
			l.fact("", "$ "+part)
		}
	}
	if s.Difference == "" {
		return
	}
	l.fact("", l.say("it has changed since you approved it:"))
	for part := range strings.SplitSeq(s.Difference, "\n") {
		l.fact("", part)
	}
}
