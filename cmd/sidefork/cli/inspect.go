package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

func (l *line) inspectCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "inspect [WORKSPACE]",
		Short: "Show what there is to fork in a workspace",
		Long: `inspect shows what a fork dialog would: the workspace (default: the current directory), its commit, its uncommitted
changes, its sessions, the name that is free, and why something is not possible.`,
		Example:           "  sidefork inspect\n  sidefork inspect ~/src/app --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: folders,
		RunE: l.does(func(ctx context.Context, args []string) error {
			workspace, err := place(args)
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
		on = "no branch"
	}
	l.fact("at", on+" "+short(i.Base.Head))
	switch {
	case w.Fork.Reason != nil:
		l.fact("fork", "not possible: "+w.Fork.Reason.Message+" "+w.Fork.Reason.Remedy)
	default:
		l.fact("fork", "possible, for example as "+i.SuggestedName)
	}
	if w.Parent != nil {
		l.fact("parent", *w.Parent)
	}
	changes := fmt.Sprintf("%d modified, %d new, %d staged (%s)", i.Changes.Modified, i.Changes.New, i.Changes.Staged, commands.HumanBytes(i.Changes.Bytes))
	if i.Changes.Conflicted > 0 {
		changes += fmt.Sprintf(", %d conflicted", i.Changes.Conflicted)
	}
	l.fact("changes", changes)
	if i.Carry.Reason != nil {
		l.fact("carry", "not possible: "+i.Carry.Reason.Message)
	}
	l.showLeft(i.Changes.Left)
	if i.Base.RepositoryDefault != "" {
		l.fact("default", i.Base.RepositoryDefault)
	}
	if i.Setup != nil {
		l.fact("setup", i.Setup.Source+" (policy "+i.Setup.Policy+")")
	}
	fmt.Fprintln(l.out)
	l.showSessions(commands.SessionsResult{Sessions: i.Sessions})
}

func (l *line) planCommand() *cobra.Command {
	var f forkFlags
	c := &cobra.Command{
		Use:   "plan [WORKSPACE]",
		Short: "Show what a fork would do; write nothing",
		Long: `plan takes the flags of fork and shows what it would do: each file that comes, each that stays and why, what would be
refused, and the commands that would run. Nothing is written. Without --name it takes the name that inspect suggests.`,
		Example:           "  sidefork plan\n  sidefork plan --name try-cache --unstage\n  sidefork plan ~/src/app --name try-cache --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: folders,
	}
	f.add(c)
	l.completeSessions(c)
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		workspace, err := place(args)
		if err != nil {
			return err
		}
		if !c.Flags().Changed("name") {
			a := l.ask(ctx, "sidefork.inspect", commands.InspectParams{Workspace: workspace})
			var i commands.Inspection
			if !l.read(a, &i) {
				return nil
			}
			f.name = i.SuggestedName
		}
		p, err := f.params(c.Flags(), workspace)
		if err != nil {
			return err
		}
		if settled, err := l.chooseSession(ctx, &p, f); err != nil || !settled {
			return err
		}
		l.call(ctx, "sidefork.plan", p, show(l, l.showPlan))
		return nil
	})
	return c
}

func (l *line) showPlan(p commands.Plan) {
	for _, r := range p.Refusals {
		fmt.Fprintf(l.out, "Would be refused: %s [%s]\n", commands.Printable(r.Message), commands.Printable(r.Code))
		if r.Remedy != "" {
			fmt.Fprintf(l.out, "  %s\n", commands.Printable(r.Remedy))
		}
	}
	fmt.Fprintf(l.out, "Changes that come along: %s\n", numbers(p.Numbers))
	var rows [][]string
	for _, f := range p.Files {
		rows = append(rows, []string{"  " + f.Change, f.Path, commands.HumanBytes(f.Bytes)})
	}
	l.table(rows)
	if len(p.Left) > 0 {
		fmt.Fprintln(l.out, "What stays:")
		for _, item := range p.Left {
			fmt.Fprintf(l.out, "  %s (%s)\n", commands.Printable(item.Path), commands.Printable(item.Reason))
		}
	}
	if len(p.Commands) > 0 {
		fmt.Fprintln(l.out, "Commands:")
		for _, argv := range p.Commands {
			fmt.Fprintf(l.out, "  %s\n", commands.Printable(strings.Join(quoted(argv), " ")))
		}
	}
}

// quoted makes words that a POSIX shell reads back as they are, for the eye.
func quoted(argv []string) []string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = word
		if word == "" || strings.ContainsFunc(word, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%", r)
		}) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return words
}
