package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

func (l *line) workspacesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "workspaces [WORKSPACE]",
		Short: "List the workspaces of a repository as a tree",
		Long: `workspaces draws the worktrees of the repository that WORKSPACE (default: the current directory) belongs to, a child
under the workspace it was forked from, with branch, commit, agents at work, and why one cannot be forked. What a
killed sidefork left there is taken back first, as by recover, and that is said on stderr.`,
		Example:           "  sidefork workspaces\n  sidefork workspaces ~/src/app --json",
		Args:              arguments(0, 1),
		ValidArgsFunction: folders,
		RunE: l.does(func(ctx context.Context, args []string) error {
			folder, err := l.place(args)
			if err != nil {
				return err
			}
			l.call(ctx, "sidefork.workspaces", commands.WorkspacesParams{Folders: []string{folder}}, show(l, l.showWorkspaces))
			return nil
		}),
	}
}

func (l *line) showWorkspaces(r commands.WorkspacesResult) {
	l.warn(r.Warnings)
	if len(r.Repositories) == 0 {
		l.print(l.out, "There is no repository here.")
	}
	for i, repository := range r.Repositories {
		if i > 0 {
			fmt.Fprintln(l.out)
		}
		fmt.Fprintln(l.out, l.styled(l.outTerminal, bold, commands.Printable(repository.Root)))
		var rows [][]string
		branches := branchLines(repository.Workspaces)
		for i, w := range repository.Workspaces {
			branch := w.Branch
			if branch == "" {
				branch = w.Name
			}
			rows = append(rows, []string{branches[i] + branch, short(w.Head), w.Path, strings.Join(l.remarks(w), ", ")})
		}
		l.table(rows, 0, 2)
	}
}

// branchLines are the tree's lines before each workspace. The list is in tree order: a child after its parent.
func branchLines(all []commands.Workspace) []string {
	lines := make([]string, len(all))
	for i, w := range all {
		var b strings.Builder
		for depth := 1; depth <= w.Depth; depth++ {
			more, own := follows(all[i+1:], depth), depth == w.Depth
			switch {
			case own && more:
				b.WriteString("├─ ")
			case own:
				b.WriteString("└─ ")
			case more:
				b.WriteString("│  ")
			default:
				b.WriteString("   ")
			}
		}
		lines[i] = b.String()
	}
	return lines
}

// follows tells whether the branch at this depth goes on further down.
func follows(rest []commands.Workspace, depth int) bool {
	for _, w := range rest {
		if w.Depth <= depth {
			return w.Depth == depth
		}
	}
	return false
}

// remarks are what else is to be known of a workspace.
func (l *line) remarks(w commands.Workspace) []string {
	var words []string
	bare := w.Fork.Reason != nil && w.Fork.Reason.Code == "bare"
	for _, r := range []struct {
		so   bool
		word string
	}{
		{w.Main && !bare, locales.Word("main checkout")},
		{bare, locales.Word("bare")},
		{w.Locked, locales.Word("locked")},
		{w.Archived, locales.Word("archived")},
		{w.Missing, locales.Word("missing")},
	} {
		if r.so {
			words = append(words, l.say(r.word))
		}
	}
	if w.AgentsLive > 0 {
		words = append(words, l.counted(w.AgentsLive, "%d agent live", "%d agents live"))
	}
	if !w.Fork.Allowed && w.Fork.Reason != nil {
		words = append(words, l.say("cannot be forked: %s", w.Fork.Reason.Message))
	}
	return words
}
