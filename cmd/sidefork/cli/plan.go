package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

func (l *line) planCommand() *cobra.Command {
	var f forkFlags
	c := &cobra.Command{
		Use:   "plan [WORKSPACE]",
		Short: "Show what a fork would do; write nothing",
		Long: `plan takes the flags of fork and shows what it would do: the child's branch, folder and commit, the session, each file
that comes, each that stays and why, what would be refused, and the commands that would run. Nothing is written. Without
--name it takes the name that inspect suggests. git's commands are shown without the options that each of them has; --json
has them whole.

The exit status is 0 also where the plan says that the fork would be refused: the plan itself was made. A script looks at
refusals in the answer to --json.`,
		Example:           "  sidefork plan\n  sidefork plan --name try-cache --unstage\n  sidefork plan ~/src/app --name try-cache --json",
		Args:              arguments(0, 1),
		ValidArgsFunction: folders,
	}
	f.add(c)
	l.completeSessions(c)
	c.RunE = l.does(func(ctx context.Context, args []string) error { return l.planFork(ctx, c.Flags(), f, args) })
	return c
}

// planFork plans the fork of these flags.
func (l *line) planFork(ctx context.Context, set *pflag.FlagSet, f forkFlags, args []string) error {
	workspace, err := l.place(args)
	if err != nil {
		return err
	}
	if _, err := f.params(set, workspace, l.path); err != nil {
		return err
	}
	if !set.Changed("name") && f.makesWorktree() {
		var i commands.Inspection
		if a := l.ask(ctx, "sidefork.inspect", commands.InspectParams{Workspace: workspace}).into(&i); !a.done() {
			l.tellPlan(a, commands.ForkParams{Workspace: workspace})
			return nil
		}
		f.name = i.SuggestedName
	}
	p, err := f.params(set, workspace, l.path)
	if err != nil {
		return err
	}
	a, err := l.chooseSession(ctx, &p, f)
	if err != nil {
		return err
	}
	if a.done() {
		l.sure = "" // the plan names the session
		a = l.ask(ctx, "sidefork.plan", p)
	}
	l.tellPlan(a, p)
	return nil
}

// tellPlan prints a plan. Where the workspace was refused before there was anything to plan, that is the plan.
func (l *line) tellPlan(a answer, asked commands.ForkParams) {
	if f := a.failed; f != nil && statusOf(f) == exitRefused {
		raw, err := json.Marshal(commands.RefusedPlan(f.Reason))
		if err == nil {
			a = answer{result: raw}
		}
	}
	l.tell(a, show(l, func(p commands.Plan) { l.showPlan(p, asked) }))
}

func (l *line) showPlan(p commands.Plan, asked commands.ForkParams) {
	if p.Workspace == "" {
		p.Workspace = asked.Workspace
	}
	l.print(l.out, "Plan for a fork of %s (nothing is written)", commands.Printable(p.Workspace))
	branch := p.Name
	if branch == "" {
		branch = asked.Name
	}
	if len(p.Copies) == 0 {
		p.Copies = []commands.PlannedCopy{{Name: branch, Dir: p.Dir}}
	}
	var facts []struct{ name, value string }
	for _, c := range p.Copies {
		facts = append(facts, struct{ name, value string }{locales.Word("branch"), c.Name}, struct{ name, value string }{locales.Word("folder"), c.Dir})
	}
	for _, f := range append(facts, struct{ name, value string }{locales.Word("base"), short(p.Base)}) {
		if f.value != "" {
			l.fact(f.name, f.value)
		}
	}
	switch {
	case p.Session != nil:
		l.fact("session", l.describe(*p.Session))
	case asked.Session != nil:
		l.fact("session", asked.Session.Agent+" "+asked.Session.ID)
	default:
		l.fact("session", l.say("none: a workspace without an agent"))
	}
	if p.Forecast != nil {
		l.fact("sends again", l.say("%d tokens, as the agent has recorded", p.Forecast.Tokens))
	}
	if p.Numbers != nil { // else nobody has looked at them
		l.fact("changes", l.numbers(*p.Numbers))
	}
	if p.Setup != nil {
		l.showSetup(*p.Setup)
	}
	l.showRest(p)
}

// showRest is what the plans of a fork and of a carry have in common.
func (l *line) showRest(p commands.Plan) {
	for _, r := range p.Refusals {
		fmt.Fprintln(l.out)
		l.print(l.out, "would be refused: %s [%s]", commands.Printable(r.Message), commands.Printable(r.Code))
		if r.Remedy != "" {
			fmt.Fprintf(l.out, "  %s\n", commands.Printable(r.Remedy))
		}
	}
	l.showFiles(p)
	l.showCommands(p)
	l.warn(p.Warnings)
}

// showFiles is one table of what comes and what stays; of ignored files that come, which may be very many, the first few.
func (l *line) showFiles(p commands.Plan) {
	const most = 20
	var rows [][]string
	included := 0
	for _, f := range p.Files {
		if f.Change == "included" {
			if included++; included > most {
				continue
			}
		}
		size := commands.HumanBytes(f.Bytes)
		if f.Change == "deleted" {
			size = ""
		}
		rows = append(rows, []string{"  " + l.say(change(f.Change)), f.Path, size})
	}
	if included > most {
		rows = append(rows, []string{"  " + l.say("included"), l.say("and %d more (--json names all)", included-most), ""})
	}
	for _, item := range p.Left {
		rows = append(rows, []string{"  " + l.say("stays"), item.Path, l.say(whyLeft(item.Reason))})
	}
	if len(rows) > 0 {
		fmt.Fprintf(l.out, "\n%s\n", l.say("Files:"))
		l.table(rows, 1)
	}
}

// change is a code of docs/contract.md, "What changes", in words.
func change(code string) string {
	switch code {
	case "untracked":
		return locales.Word("new")
	case "typeChanged":
		return locales.Word("type changed")
	case "staged":
		return locales.Word("staged only")
	case "added":
		return locales.Word("added")
	case "modified":
		return locales.Word("modified")
	case "deleted":
		return locales.Word("deleted")
	case "included":
		return locales.Word("included")
	case "renamed":
		return locales.Word("renamed")
	case "unmerged":
		return locales.Word("unmerged")
	}
	return code
}

func (l *line) showCommands(p commands.Plan) {
	git := p.Commands
	if p.Launch != nil && len(git) > 0 {
		git = git[:len(git)-1] // the agent's own is the last
	}
	if len(git) > 0 {
		fmt.Fprintf(l.out, "\n%s\n", l.say("Commands:"))
	}
	for _, argv := range git {
		fmt.Fprintf(l.out, "  %s\n", commands.Printable(strings.Join(quoted(brief(argv)), " ")))
	}
	switch {
	case p.Launch == nil:
	case p.Launch.Tmux != "":
		fmt.Fprintf(l.out, "\n%s\n  sidefork attach %s\n", l.say("Its agent, in tmux:"), commands.Printable(p.Launch.Tmux+l.onHost()))
	default:
		fmt.Fprintf(l.out, "\n%s\n  %s\n", l.say("Its agent:"), l.commandLine(*p.Launch))
	}
}

// brief is a git command without the options that stand before its name, which every one of ours has: but for the
// submodule that it runs in.
func brief(argv []string) []string {
	short := argv[:1:1]
	for i := 1; i < len(argv); i++ {
		switch {
		case argv[i] == "-C" && i+1 < len(argv):
			short = append(short, argv[i], argv[i+1])
			i++
		case argv[i] == "-c":
			i++
		case !strings.HasPrefix(argv[i], "-"):
			return append(short, argv[i:]...)
		}
	}
	return argv
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
