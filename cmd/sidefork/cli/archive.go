package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/commands"
)

func (l *line) archiveCommand() *cobra.Command {
	var back bool
	var force []string
	c := &cobra.Command{
		Use:   "archive WORKSPACE [--restore]",
		Short: "Free a workspace's folder, or bring it back as it was",
		Long: `archive removes the folder of the workspace WORKSPACE and keeps all that is needed to bring it back: its branch, its index,
its changes that are not committed (staged, unstaged, untracked), and whose child it is. workspaces goes on showing it.
With --restore the folder is brought back to where it was, every file with its bytes, mode and time; run that in the repository.
The repository's teardown runs there first, if you trust it.

Refused, with nothing written: an agent at work there, the main checkout, a locked workspace, other workspaces or
repositories inside, an operation of git's in progress. Files that git ignores are not kept: they are named, and
--force ignored lets them go. --force agentMaybeLive is for when it cannot be told whether an agent is at work.`,
		Example: `  sidefork archive ../app-worktrees/try-cache
  sidefork archive ../app-worktrees/try-cache --force ignored
  sidefork archive ../app-worktrees/try-cache --restore`,
		Args:              arguments(1, 1),
		ValidArgsFunction: folders,
	}
	c.Flags().BoolVar(&back, "restore", false, "bring its folder back")
	c.Flags().StringArrayVar(&force, "force", nil, "do it in spite of a refusal of this `KIND` (repeatable)")
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		if back && len(force) > 0 {
			return errors.New("there is nothing to force with --restore")
		}
		for _, kind := range force {
			if !carry.ForcibleToArchive(kind) {
				return fmt.Errorf("--force cannot be %q: see sidefork archive --help", kind)
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
		archived := !back
		p := commands.ArchiveParams{OperationID: uuid.NewString(), Workspace: path, Archived: &archived, Repository: here, Force: force}
		l.call(ctx, "sidefork.archive", p, show(l, l.showArchived))
		return nil
	})
	return c
}

func (l *line) showArchived(r commands.ArchiveResult) {
	path := commands.Printable(r.Workspace.Path)
	if !r.Workspace.Archived {
		l.print(l.out, "Brought %s back.", path)
		l.warn(r.Warnings)
		return
	}
	l.print(l.out, "Archived %s.", path)
	if r.Workspace.Branch != "" {
		l.fact("branch", l.say("%s (stays)", r.Workspace.Branch))
	}
	if r.Saved != "" {
		l.fact("saved", r.Saved)
	}
	l.lost(r.Lost)
	l.fact("back by", commands.POSIXLine([]string{"sidefork", "archive", r.Workspace.Path, "--restore"}))
	l.warn(r.Warnings)
}

// lost names some of what does not come back.
func (l *line) lost(all []carry.Left) {
	for i, item := range all {
		if i == 10 {
			l.fact("lost", l.say("and %d more (--json names all)", len(all)-i))
			break
		}
		l.fact("lost", item.Path+" ("+l.say(whyLeft(item.Reason))+")")
	}
}
