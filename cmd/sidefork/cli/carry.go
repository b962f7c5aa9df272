package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

func (l *line) carryCommand() *cobra.Command {
	var unstage, intoParent, dryRun bool
	var include, paths []string
	c := &cobra.Command{
		Use:   "carry FROM TO",
		Short: "Bring the uncommitted changes of one workspace to another",
		Long: `carry brings the uncommitted changes of the workspace FROM to the workspace TO, a clean one of the same repository, with
the staging as it is, and proves that they arrived. FROM is not touched.

Where TO is at another commit the changes are merged into what it has, as git merges: edits of other lines go together, a
file that TO has renamed gets them under its new name. Where they do not fit nothing is written at all, and each path is
named (mergeConflict). A new file that git does not track never takes the place of one that TO has (collision).

Where FROM was forked from TO, or from something that was, the changes go there only with --into-parent; without it the
refusal says what would change.`,
		Example: `  sidefork carry . ../app-worktrees/try-cache
  sidefork carry ~/src/app ~/src/app-fix --unstage --json
  sidefork carry . ../app-worktrees/try-cache --path src/cache --path README.md
  sidefork carry . ~/src/app --into-parent --dry-run`,
		Args:              arguments(2, 2),
		ValidArgsFunction: folders,
	}
	c.Flags().BoolVar(&unstage, "unstage", false, "bring the changes unstaged")
	c.Flags().BoolVar(&intoParent, "into-parent", false, "carry back into the workspace that FROM was forked from")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "show what would come, and what would be refused; write nothing")
	c.Flags().StringArrayVar(&paths, "path", nil, "bring the changes at `PATH` alone, a file or folder of FROM, from its top level (repeatable); the others stay, and are named")
	c.Flags().StringArrayVar(&include, "include", nil, "bring the ignored files that match `GLOB` too, a line of a .gitignore (repeatable)")
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		p := commands.CarryParams{OperationID: uuid.NewString(), Include: include, Paths: paths, IntoParent: intoParent, DryRun: dryRun}
		if unstage {
			p.Staged = "unstage"
		}
		for i, to := range []*string{&p.From, &p.To} {
			path, err := l.path(args[i])
			if err != nil || args[i] == "" {
				return errors.New("carry wants two workspaces, FROM and TO")
			}
			if err := commands.ExactPath(path); err != nil {
				return err
			}
			*to = path
		}
		if dryRun {
			l.call(ctx, "sidefork.carry", p, show(l, l.showCarryPlan))
			return nil
		}
		l.call(ctx, "sidefork.carry", p, show(l, func(r commands.CarryResult) {
			l.print(l.out, "Carried to %s.", commands.Printable(p.To))
			l.showCarried(r)
			l.warn(r.Warnings)
		}))
		return nil
	})
	return c
}

func (l *line) showCarryPlan(p commands.Plan) {
	l.print(l.out, "Plan for a carry from %s (nothing is written)", commands.Printable(p.Workspace))
	l.fact("to", p.Dir)
	l.fact("base", short(p.Base))
	if p.Numbers != nil { // else nobody has counted
		l.fact("changes", l.numbers(*p.Numbers))
	}
	l.showRest(p)
}

// showCarried prints what came and what stayed.
func (l *line) showCarried(r commands.CarryResult) {
	text := l.numbers(r.Numbers)
	switch {
	case r.Verified && r.Merged:
		text = l.say("%s; merged, and proved to be there", text)
	case r.Verified:
		text = l.say("%s; both sides proved equal", text)
	}
	l.fact("changes", text)
	l.showLeft(r.Left)
}

// numbers says in words what comes along.
func (l *line) numbers(n carry.Numbers) string {
	return l.counts(commands.Changes{Modified: n.Tracked + n.Deleted, New: n.Untracked, Staged: n.Staged, Bytes: n.Bytes}, n.Deleted, n.Included)
}

// counts are uncommitted changes in words, the same ones wherever they are counted: modified is all that git tracks and
// that is not as the last commit has it, deleted is a part of it, new is what git does not track, and ignored what it
// ignores and was asked for.
func (l *line) counts(n commands.Changes, deleted, included int) string {
	var parts []string
	add := func(count int, text string) {
		if count > 0 {
			parts = append(parts, text)
		}
	}
	modified := l.counted(n.Modified, "%d modified", "%d modified")
	if deleted > 0 {
		modified += " " + l.counted(deleted, "(%d of them deleted)", "(%d of them deleted)")
	}
	add(n.Modified, modified)
	add(n.New, l.counted(n.New, "%d new", "%d new"))
	add(n.Staged, l.counted(n.Staged, "%d staged", "%d staged"))
	add(included, l.counted(included, "%d ignored", "%d ignored"))
	add(n.Conflicted, l.counted(n.Conflicted, "%d conflicted", "%d conflicted"))
	if len(parts) == 0 {
		return l.say("none")
	}
	return strings.Join(parts, ", ") + "; " + commands.HumanBytes(n.Bytes)
}

// showLeft names what does not come, the first few of many; ignored entries, which nobody expects to come, last.
func (l *line) showLeft(left []carry.Left) {
	const most = 10
	left = slices.Clone(left)
	slices.SortStableFunc(left, func(a, b carry.Left) int {
		return cmp.Compare(strings.Count(a.Reason, "ignored"), strings.Count(b.Reason, "ignored"))
	})
	for i, item := range left {
		if i == most {
			l.fact("stays", l.say("and %d more (--json names all)", len(left)-most))
			return
		}
		l.fact("stays", item.Path+" ("+l.say(whyLeft(item.Reason))+")")
	}
}

// whyLeft is a reason of docs/contract.md, "Why something stays", in words.
func whyLeft(reason string) string {
	switch reason {
	case "nestedRepository":
		return locales.Word("a repository of its own")
	case "specialFile":
		return locales.Word("a pipe, socket or device")
	case "submodule":
		return locales.Word("a submodule that cannot be copied, or that the other workspace does not have at the same commit")
	case "submoduleElsewhere":
		return locales.Word("a submodule whose git folder is not this repository's own: its folder is empty there")
	case "submoduleConfig":
		return locales.Word("a submodule whose configuration names programs or other files: its folder is empty there")
	case "intentToAddGone":
		return locales.Word("announced by git add -N, and gone")
	case "worktree":
		return locales.Word("another workspace")
	case "notChosen":
		return locales.Word("not among the paths that were asked for")
	case "ignored":
		return locales.Word("ignored")
	}
	return reason
}
