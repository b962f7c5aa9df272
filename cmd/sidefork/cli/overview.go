package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

// overview is sidefork alone: the tree of the repository, and what can be done next. Outside of a repository it is the help.
func (l *line) overview(c *cobra.Command) func(*cobra.Command, []string) error {
	return l.does(func(ctx context.Context, _ []string) error {
		here, err := l.place(nil)
		if err != nil {
			return err
		}
		var found commands.WorkspacesResult
		a := l.ask(ctx, "sidefork.workspaces", commands.WorkspacesParams{Folders: []string{here}}).into(&found)
		if !l.json && (a.failed != nil && a.failed.Reason.Code == "notARepository" || a.done() && len(found.Repositories) == 0) {
			return c.Help()
		}
		l.tell(a, func(json.RawMessage) {
			l.showWorkspaces(found)
			l.steps(ctx, here)
		})
		return nil
	})
}

// steps says what can be done in this workspace.
func (l *line) steps(ctx context.Context, here string) {
	var in commands.Inspection
	if a := l.ask(ctx, "sidefork.inspect", commands.InspectParams{Workspace: here}).into(&in); !a.done() {
		if a.failed != nil {
			fmt.Fprintln(l.out)
			l.print(l.out, "Here nothing can be forked: %s", commands.Printable(a.failed.Reason.Message+" "+a.failed.Reason.Remedy))
		}
		return
	}
	forkable := 0
	for _, s := range in.Sessions {
		if s.Fork.Kind != "none" {
			forkable++
		}
	}
	fmt.Fprintln(l.out)
	l.print(l.out, "Here, uncommitted: %s. %s, %d of which can be forked.", l.counts(in.Changes, 0, 0), l.counted(len(in.Sessions), "%d conversation", "%d conversations"), forkable)
	var steps [][]string
	if why := in.Workspace.Fork.Reason; why != nil {
		l.print(l.out, "It cannot be forked: %s", commands.Printable(why.Message+" "+why.Remedy))
	} else {
		steps = [][]string{
			{"sidefork dialog", l.say("fork: choose the conversation, the name and what comes along")},
			{"sidefork fork --name " + in.SuggestedName, l.say("fork the newest conversation at once")},
		}
	}
	steps = append(steps, []string{"sidefork sessions", l.say("the conversations, and why one cannot be forked")})
	if in.Workspace.Parent != nil {
		steps = append(steps, []string{"sidefork compare", l.say("what has changed since the fork")}, []string{"sidefork remove .", l.say("remove this workspace; nothing is lost unasked")})
	}
	steps = append(steps, []string{"sidefork --help", l.say("all that there is")})
	for i := range steps {
		steps[i][0] = "  " + steps[i][0]
	}
	l.table(steps)
}
