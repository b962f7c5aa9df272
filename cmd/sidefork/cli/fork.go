package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sidefork/sidefork/commands"
)

// forkFlags are the flags of fork and plan: both take the same argument.
type forkFlags struct {
	name, dir, session string
	latest, noSession  bool
	noCarry, unstage   bool
	include            []string
	base               string
	baseDefault        bool
	noChild            bool
	setup, setupHash   string
	prompt, launch, at string
	copies             int
	same               bool
	existing           string
	onCarryFailure     string
	onDisconnect       string
}

func (f *forkFlags) add(c *cobra.Command) {
	set := c.Flags()
	set.StringVar(&f.name, "name", "", "the child's `BRANCH`, exactly")
	set.StringVar(&f.dir, "dir", "", "the new worktree's own `PATH` (default: by the setting worktree.pattern, MAIN-worktrees/NAME)")
	set.StringVar(&f.session, "session", "", "the session to fork, as `AGENT:ID`; a unique beginning of the id will do")
	set.BoolVar(&f.latest, "latest", false, "fork the newest session of the workspace that can be forked")
	set.BoolVar(&f.noSession, "no-session", false, "a workspace of its own, without an agent")
	set.BoolVar(&f.noCarry, "no-carry", false, "leave the uncommitted changes behind")
	set.BoolVar(&f.unstage, "unstage", false, "bring the changes unstaged")
	set.StringArrayVar(&f.include, "include", nil, "bring the ignored files that match `GLOB` too, a line of a .gitignore (repeatable)")
	set.StringVar(&f.base, "base", "", "start from `REF`; the changes come only where that is the parent's commit")
	set.BoolVar(&f.baseDefault, "base-default", false, "start from the repository's default branch; the changes come only where that is the parent's commit")
	set.BoolVar(&f.noChild, "no-child", false, "do not show the new workspace as a child of this one")
	set.Var(choice{&f.setup, []string{"run", "skip"}}, "setup", "the repository's setup, `run|skip` (default: run what is trusted, and say what is not)")
	set.StringVar(&f.setupHash, "setup-hash", "", "with --setup run: the `HASH` of the setup that you have read; it may run this once")
	set.StringVar(&f.prompt, "prompt", "", "the first message in the fork, as `TEXT`")
	set.IntVar(&f.copies, "copies", 1, "make `N` children (1 to 16) in one call, named BRANCH-1 to BRANCH-N")
	set.StringVar(&f.at, "at", "", "with --session: the last `TURN` that the fork knows, whole (sidefork sessions --turns); default: all of it")
	set.BoolVar(&f.same, "same-folder", false, "make no worktree: only the conversation is forked, and both work on the same files")
	set.StringVar(&f.existing, "existing", "", "make no worktree: fork into this `WORKTREE` of the repository, which has to be clean")
	set.Var(choice{&f.onCarryFailure, []string{"rollback", "keep"}}, "on-carry-failure", "where the changes cannot be brought once the workspace is there, `rollback|keep`: take it back whole, or keep it without them")
	f.launch = "client"
	set.Var(choice{&f.launch, []string{"client", "tmux", "none"}}, "launch", "how the agent starts, `client|none|tmux`: client is in this terminal, or its command is printed; none: its command is printed; tmux: without a window, see sidefork attach")
	set.Var(choice{&f.onDisconnect, []string{"rollback", "finish"}}, "on-disconnect", "with --host: what happens there when the connection breaks, `rollback|finish` (default rollback)")
	complete(c, "on-disconnect", "rollback", "finish")
	complete(c, "launch", "client", "none", "tmux")
	complete(c, "setup", "run", "skip")
	complete(c, "on-carry-failure", "rollback", "keep")
}

func (f *forkFlags) makesWorktree() bool { return !f.same && f.existing == "" }

// choice is a flag that has one of a few words.
type choice struct {
	to    *string
	among []string
}

func (c choice) String() string {
	if c.to == nil {
		return ""
	}
	return *c.to
}

// Set refuses any other word: that is wrong usage.
func (c choice) Set(word string) error {
	if !slices.Contains(c.among, word) {
		return errors.New("it is not one of " + strings.Join(c.among, ", "))
	}
	*c.to = word
	return nil
}

// Type is what a value is called where the flag's own words do not say it.
func (choice) Type() string { return "word" }

// complete offers fixed words for a flag.
func complete(c *cobra.Command, flag string, words ...cobra.Completion) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is ours and has just been made
	}
}

// params is the command's argument, all but the session. workspace is absolute; absolute makes other paths so.
func (f *forkFlags) params(set *pflag.FlagSet, workspace string, absolute func(string) (string, error)) (commands.ForkParams, error) {
	p := commands.ForkParams{
		OperationID: uuid.NewString(), Workspace: workspace, Name: f.name, Include: f.include, Prompt: f.prompt, Launch: f.launch, At: f.at, OnCarryFailure: f.onCarryFailure, OnDisconnect: f.onDisconnect,
	}
	err := exclude(set,
		[]string{"session", "latest", "no-session"}, []string{"same-folder", "existing", "dir"}, []string{"same-folder", "no-session"}, []string{"base", "base-default"}, []string{"no-carry", "unstage"}, []string{"no-carry", "include"}, []string{"no-carry", "on-carry-failure"})
	if err != nil {
		return p, err
	}
	if set.Changed("copies") {
		if f.copies < 1 || f.copies > mostCopies {
			return p, fmt.Errorf("--copies is 1 to %d", mostCopies)
		}
		p.Copies = f.copies
	}
	if set.Changed("at") && (f.at == "" || f.session == "") {
		return p, errors.New("--at is a turn of the session that --session names")
	}
	if set.Changed("dir") {
		if f.dir == "" {
			return p, errors.New("--dir is empty: give the new worktree's path, or leave it out")
		}
		dir, err := absolute(f.dir)
		if err != nil {
			return p, err
		}
		p.Dir = dir
	}
	switch {
	case f.same:
		p.Worktree = &commands.Where{Kind: "same"}
	case set.Changed("existing"):
		if f.existing == "" {
			return p, errors.New("--existing wants the path of a worktree")
		}
		path, err := absolute(f.existing)
		if err != nil {
			return p, err
		}
		p.Worktree = &commands.Where{Kind: "existing", Existing: path}
	}
	no := false
	if f.noCarry {
		p.Carry = &no
	}
	if f.noChild {
		p.Child = &no
	}
	if f.unstage {
		p.Staged = "unstage"
	}
	switch {
	case f.baseDefault:
		p.Base = &commands.Base{Kind: "repositoryDefault"}
	case set.Changed("base"):
		p.Base = &commands.Base{Kind: "ref", Ref: f.base}
	}
	if set.Changed("setup-hash") && f.setup != "run" {
		return p, errors.New("--setup-hash needs --setup run")
	}
	if set.Changed("setup") {
		p.Setup = &commands.SetupChoice{Decision: f.setup, Hash: f.setupHash}
	}
	return p, nil
}

const mostCopies = 16

func (l *line) forkCommand() *cobra.Command {
	var f forkFlags
	var dryRun bool
	c := &cobra.Command{
		Use:   "fork [WORKSPACE] --name BRANCH",
		Short: "Fork an agent session into a child workspace",
		Long: `fork makes a child workspace (a git worktree on a new branch) at the exact commit of WORKSPACE, brings its
uncommitted changes along with the staging as it is, proves both sides equal, and starts the agent there with the
conversation so far, as a session of its own. WORKSPACE (default: the current directory) and its agent are not
touched. A refusal is given before anything is written; what fails or is cancelled later is taken back.

Of the ignored files those come that WORKSPACE/.worktreeinclude or --include ask for, both in the syntax of a .gitignore.

With --same-folder or --existing no branch and no worktree is made: the conversation is forked where it is, or with the
changes into a clean worktree that there is already.

A setup of the repository (.sidefork.json, orca.yaml, .cursor/worktrees.json, conductor.json) runs in the child once you
have approved its content: sidefork trust. In a terminal it asks.

With --copies N there are N children of the same moment's look, named BRANCH-1 to BRANCH-N (and so are folders, where --dir
is given). One that cannot be made is taken back and named, and the others stand; a cancel takes all of them back. Their
agents are not started here: the commands are printed.

Without --session, --latest or --no-session the newest session of the workspace that can be forked is taken (it asks
when there are several), else a workspace without an agent is made.`,
		Example: `  sidefork fork --name try-cache
  sidefork fork --name try-cache --session claude:9c322651 --prompt "try it with a cache"
  sidefork fork --name try --copies 3 --prompt "try it with a cache"
  sidefork fork --name other-way --session claude:9c322651 --at 105abbc8-1f1b-4b92-a0ea-bf3e6ccb0338
  sidefork fork ~/src/app --name bisect --no-session --no-carry
  sidefork fork --name ci-42 --latest --launch none --json`,
		Args:              arguments(0, 1),
		ValidArgsFunction: folders,
	}
	f.add(c)
	c.Flags().BoolVar(&dryRun, "dry-run", false, "show what the fork would do, as sidefork plan does; write nothing")
	l.completeSessions(c)
	c.RunE = l.does(func(ctx context.Context, args []string) error {
		if dryRun {
			return l.planFork(ctx, c.Flags(), f, args)
		}
		if !c.Flags().Changed("name") && f.makesWorktree() {
			return errors.New("fork wants a name for the child: --name BRANCH")
		}
		workspace, err := l.place(args)
		if err != nil {
			return err
		}
		p, err := f.params(c.Flags(), workspace, l.path)
		if err != nil {
			return err
		}
		a, err := l.chooseSession(ctx, &p, f)
		if err != nil {
			return err
		}
		if !a.done() {
			l.tell(a, nil)
			return nil
		}
		if a := l.chooseSetup(ctx, &p); !a.done() {
			l.tell(a, nil)
			return nil
		}
		l.fork(ctx, p)
		return nil
	})
	return c
}

// fork asks for the fork and, with a terminal, hands it to the child's agent.
func (l *line) fork(ctx context.Context, p commands.ForkParams) {
	here := p.Launch == "client" && l.outTerminal && l.inTerminal && !l.json && p.Copies <= 1
	if here {
		wait := l.background(ctx)
		defer wait()
	}
	starts := 0 // agents that are started where nobody sees it
	if p.Launch == "tmux" && !l.json {
		wait := l.awaitStarted(ctx, &starts)
		defer wait()
	}
	var made commands.ForkResult
	a := l.ask(ctx, "sidefork.fork", p)
	l.tell(a, show(l, func(r commands.ForkResult) {
		made, starts = r, inTmux(r)
		if len(r.Copies) > 0 {
			l.showCopies(r)
		} else {
			l.showFork(r, here)
		}
	}))
	l.statusOfCopies(a)
	if here && l.status == exitDone && made.Launch != nil {
		l.start(ctx, *made.Launch)
	}
}

func (l *line) showFork(r commands.ForkResult, startsHere bool) {
	if r.Workspace != nil {
		into := r.Workspace.Branch
		if into == "" { // a worktree that there was may be on none
			into = r.Workspace.Name
		}
		l.print(l.out, "Forked into %s.", commands.Printable(into))
		l.fact("workspace", r.Workspace.Path)
		l.fact("commit", short(r.Workspace.Head))
	}
	if r.Session != nil {
		id := r.Session.ID
		if id == "" {
			id = l.say("(known once it has started)")
		}
		text := r.Session.Agent + " " + id
		if r.Session.Parent.ID != "" {
			text = l.say("%s, forked from %s", text, r.Session.Parent.ID)
		}
		l.fact("session", text)
	}
	if r.Carried != nil {
		l.showCarried(*r.Carried)
	}
	if r.Setup != nil && r.Setup.Ran {
		l.fact("setup", l.say("ended with exit status %d, log in %s", *r.Setup.ExitCode, r.Setup.Log))
	}
	if r.Setup != nil && r.Setup.Running {
		l.fact("setup", l.say("runs beside the agent"))
	}
	for _, t := range r.Terminals {
		l.fact("terminal", strings.TrimSpace(t.Title+"  "+t.CommandLine))
	}
	l.warn(r.Warnings)
	switch {
	case r.Launch == nil || startsHere:
	case r.Launch.Tmux != "":
		l.fact("agent", l.say("in tmux: %s", "sidefork attach "+r.Launch.Tmux+l.onHost()))
	default:
		fmt.Fprintf(l.out, "\n%s\n\n%s\n", l.startHere(), l.commandLine(*r.Launch))
	}
}

func short(oid string) string { return oid[:min(len(oid), 8)] }

// place is the absolute path of the workspace that the arguments name, else of the current directory; of another machine,
// of the folder that ssh comes to.
func (l *line) place(args []string) (string, error) {
	path := "."
	if len(args) > 0 {
		path = args[0]
	}
	if path == "" {
		return "", errors.New("WORKSPACE is empty")
	}
	path, err := l.path(path)
	if err != nil {
		return "", err
	}
	return path, commands.ExactPath(path)
}

// path is an absolute path, of the machine that it is on.
func (l *line) path(given string) (string, error) {
	if l.host != nil {
		return l.host.Path(given)
	}
	return filepath.Abs(given)
}

// folders completes an argument with the names of folders, which are those of this machine.
func folders(c *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if isElsewhere(c) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}
