package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

func (l *line) removeCommand() *cobra.Command {
	var branch bool
	var force []string
	c := &cobra.Command{
		Use:   "remove WORKSPACE",
		Short: "Remove a workspace, unless that would lose work",
		Long: `remove removes the folder of the workspace WORKSPACE and git's entry of it; its branch stays, unless --branch is given.
Workspaces that were forked from it move up to its own parent.

Whatever would be lost is refused, all of it at once: uncommitted, unmerged, onlyHere (commits that nothing else has),
agentLive, agentMaybeLive, locked, operationInProgress, submoduleUnknown. Each can be forced by that name, one flag each.
What is not committed is then stored under a ref first, untracked files too, and the commands that bring it back are
printed. Ignored files are not stored; they are named. What appears in the folder meanwhile is not removed.

The repository's teardown runs there first, if you trust it (sidefork trust) as it is in this workspace.

A workspace whose folder is gone already is removed too, when remove is run in its repository; one that is locked is not.`,
		Example: `  sidefork remove ../app-worktrees/try-cache
  sidefork remove ../app-worktrees/try-cache --branch --force uncommitted --force onlyHere`,
		Args:              arguments(1, 1),
		ValidArgsFunction: folders,
	}
	c.Flags().BoolVar(&branch, "branch", false, "remove its branch too")
	c.Flags().StringArrayVar(&force, "force", nil, "do it in spite of a refusal of this `KIND` (repeatable)")
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		for _, kind := range force {
			if !carry.Forcible(kind) {
				return fmt.Errorf("--force cannot be %q: see sidefork remove --help", kind)
			}
		}
		path, err := l.place(args)
		if err != nil {
			return err
		}
		here, err := l.place(nil)
		if err != nil {
			return err
		}
		p := commands.RemoveParams{OperationID: uuid.NewString(), Workspace: path, Repository: here, Branch: branch, Force: force}
		l.call(ctx, "sidefork.remove", p, show(l, l.showRemoved))
		return nil
	})
	return c
}

func (l *line) showRemoved(r commands.RemoveResult) {
	l.print(l.out, "Removed %s.", commands.Printable(r.Removed))
	if r.Branch != "" {
		l.fact("branch", l.say("%s (removed too)", r.Branch))
	}
	for _, child := range r.Reparented {
		l.fact("moved up", child)
	}
	if r.Saved != "" {
		l.fact("saved", r.Saved)
	}
	for _, s := range r.Inside {
		l.fact("saved", s.Ref+" ("+s.Path+")")
	}
	l.lost(r.Lost)
	for i, argv := range r.Restore {
		name := locales.Word("back by")
		if i > 0 {
			name = locales.Word("then")
		}
		l.fact(name, commands.POSIXLine(argv))
	}
	l.warn(r.Warnings)
}

func (l *line) adoptCommand() *cobra.Command {
	var none bool
	c := &cobra.Command{
		Use:   "adopt WORKSPACE (PARENT | --none)",
		Short: "Say whose child a workspace is",
		Long: `adopt makes the workspace WORKSPACE a child of PARENT, another one of the same repository, in every list of workspaces and
for compare; with --none it has no parent any more. Nothing of either is changed. A workspace cannot be the child of one
that was forked from it.`,
		Example:           "  sidefork adopt ../app-worktrees/try-cache .\n  sidefork adopt ../app-worktrees/try-cache --none",
		Args:              arguments(1, 2),
		ValidArgsFunction: folders,
	}
	c.Flags().BoolVar(&none, "none", false, "it has no parent any more")
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		if none == (len(args) == 2) {
			return errors.New("adopt wants either PARENT or --none")
		}
		workspace, err := l.place(args)
		if err != nil {
			return err
		}
		p := map[string]any{"workspace": workspace, "parent": nil}
		if !none {
			if p["parent"], err = l.place(args[1:]); err != nil {
				return err
			}
		}
		l.call(ctx, "sidefork.adopt", p, show(l, func(r commands.AdoptResult) {
			name := commands.Printable(r.Workspace.Path)
			if r.Workspace.Parent == nil {
				l.print(l.out, "%s has no parent.", name)
			} else {
				l.print(l.out, "%s is a child of %s.", name, commands.Printable(*r.Workspace.Parent))
			}
			if r.Was != nil {
				l.fact("before", *r.Was)
			}
		}))
		return nil
	})
	return c
}

func (l *line) compareCommand() *cobra.Command {
	var with string
	c := &cobra.Command{
		Use:   "compare [WORKSPACE]",
		Short: "List what a workspace has changed against its parent's branch",
		Long: `compare lists the files that WORKSPACE (default: the current directory) has changed since it parted from the branch of the
workspace that it was forked from: committed, uncommitted and untracked ones.`,
		Example:           "  sidefork compare\n  sidefork compare ../app-worktrees/try-cache --with ../app-worktrees/try-queue --json",
		Args:              arguments(0, 1),
		ValidArgsFunction: folders,
	}
	c.Flags().StringVar(&with, "with", "", "compare with `WORKSPACE` instead of the parent")
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		workspace, err := l.place(args)
		if err != nil {
			return err
		}
		p := commands.CompareParams{Workspace: workspace}
		if c.Flags().Changed("with") {
			if with == "" {
				return errors.New("--with is empty")
			}
			if p.With, err = l.path(with); err != nil {
				return err
			}
			if err := commands.ExactPath(p.With); err != nil {
				return err
			}
		}
		l.call(ctx, "sidefork.compare", p, show(l, l.showCompared))
		return nil
	})
	return c
}

func (l *line) showCompared(r commands.CompareResult) {
	name := r.Branch
	if name == "" {
		name = short(r.Head)
	}
	l.print(l.out, "Against %s since %s (%s ahead, %d behind)", commands.Printable(name), short(r.Base), l.counted(r.Ahead, "%d commit", "%d commits"), r.Behind)
	var rows [][]string
	added, deleted := 0, 0
	for _, f := range r.Files {
		count := fmt.Sprintf("+%d -%d", f.Additions, f.Deletions)
		if f.Binary {
			count = l.say("binary")
		}
		path := f.Path
		if f.OldPath != "" {
			path = f.OldPath + " → " + f.Path
		}
		state := ""
		if !f.Committed {
			state = l.say("not committed")
		}
		rows = append(rows, []string{path, l.say(change(f.Change)), count, state})
		added, deleted = added+f.Additions, deleted+f.Deletions
	}
	l.table(rows, 0)
	fmt.Fprintf(l.out, "%s, +%d -%d\n", l.counted(len(rows), "%d file", "%d files"), added, deleted)
}
