package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

func (l *line) trustCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "trust WORKSPACE HASH",
		Short: "Approve a repository's setup, by the hash of its content",
		Long: `trust says that you have read the setup of WORKSPACE's repository whose hash is HASH, and that it may run in its forks.
The hash covers the file that the setup is in (.sidefork.json, orca.yaml, .cursor/worktrees.json or conductor.json) and the
files of the repository that its commands name. Once any of them changes, it is asked for again. inspect shows the
commands and the hash. It is kept in $XDG_STATE_HOME/sidefork/trust; to take it back, remove the file there.`,
		Example:           "  sidefork inspect\n  sidefork trust . 5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
		Args:              arguments(2, 2),
		ValidArgsFunction: folders,
		RunE: l.does(func(ctx context.Context, args []string) error {
			workspace, err := l.place(args)
			if err != nil {
				return err
			}
			p := commands.TrustParams{Workspace: workspace, Hash: args[1]}
			l.call(ctx, "sidefork.trust", p, show(l, func(r commands.TrustResult) {
				l.print(l.out, "The setup in %s is trusted as it is now.", commands.Printable(r.Source))
			}))
			return nil
		}),
	}
}

// chooseSetup asks a person about a setup that would not run, or not without a word: before anything exists. The answer is
// done where it is settled.
func (l *line) chooseSetup(ctx context.Context, p *commands.ForkParams) answer {
	asks := l.inTerminal && l.errTerminal && !l.json
	if !asks || p.Setup != nil && (p.Setup.Decision != "run" || p.Setup.Hash != "") {
		return answer{}
	}
	sure, look := l.sure, *p
	l.sure, look.Setup = "", nil
	var plan commands.Plan
	a := l.ask(ctx, "sidefork.plan", look).into(&plan)
	l.sure = sure
	s := plan.Setup
	if !a.done() || s == nil || len(plan.Refusals) > 0 { // the fork says why
		return answer{cancelled: a.cancelled}
	}
	if s.Trusted && (s.Policy == "run" || p.Setup != nil) || s.Policy == "skip" && p.Setup == nil {
		return answer{}
	}
	l.print(l.err, "The repository has a setup, in %s (hash %s):", commands.Printable(s.Source), s.Hash)
	l.detail(strings.Join(s.Commands, "\n"))
	if s.Difference != "" {
		l.print(l.err, "It has changed since you approved it:")
		l.detail(s.Difference)
	}
	for {
		fmt.Fprint(l.err, l.say("Run it in the new workspace? (y)es, (n)o, (t)rust it as it is from now on [n]:"), " ")
		word, ok := l.typed(ctx)
		if !ok {
			return answer{cancelled: true}
		}
		switch strings.ToLower(word) {
		case "t", "trust":
			if a := l.ask(ctx, "sidefork.trust", commands.TrustParams{Workspace: p.Workspace, Hash: s.Hash}); !a.done() {
				return a
			}
			fallthrough
		case "y", "yes":
			p.Setup = &commands.SetupChoice{Decision: "run", Hash: s.Hash}
			return answer{}
		case "", "n", "no":
			p.Setup = &commands.SetupChoice{Decision: "skip"}
			return answer{}
		}
	}
}
