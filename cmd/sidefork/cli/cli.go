// Package cli is sidefork's command line: flags, exit statuses, and words for people.
//
// It is a client of the same table of commands as an editor, and has no rules of its own: a subcommand builds the one
// JSON argument of its command, runs it in this process with commands.Run, and prints the result as it would travel
// (--json) or as a table or sentence. What cannot be done is decided, and worded, in package commands. Words that come
// from outside (titles, paths, names) are stripped of control characters before they reach the terminal.
//
// One file per subcommand: its flags, its argument, its print. call.go runs a command and answers for the exit status,
// signals.go turns Ctrl-C into a roll-back, launch*.go hands the terminal to the agent of a fork.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/sidefork/sidefork/cmd/sidefork/remote"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// The exit statuses, as scripts rely on them (docs/contract.md, "Command line").
const (
	exitDone      = 0
	exitFailed    = 1 // begun, and rolled back or kept
	exitUsage     = 2
	exitRefused   = 3 // with nothing written
	exitUnknown   = 4
	exitCancelled = 130
)

// line is one run of the command line: where it reads and writes, and what it asks.
type line struct {
	in       io.Reader
	out, err io.Writer
	// Whether a person sits at each end.
	inTerminal, outTerminal, errTerminal bool
	width                                int // columns of the terminal at out; 0: as many as it takes

	version string
	env     *commands.Env
	run     func(context.Context, *commands.Env, string, []byte, commands.Progress) (any, *commands.Failure)
	agent   func(context.Context, commands.Launch) (int, error) // hands the terminal to an agent
	// The two requests of a form.
	resolve  func(context.Context, *commands.Env, commands.ResolveParams) (commands.ResolveParams, func(), *commands.Failure)
	listEnum func(context.Context, *commands.Env, commands.ListEnumParams) ([]commands.FormEntry, *commands.Failure)
	now      func() time.Time
	// lookup is one variable of the environment that this command line was called in.
	lookup func(name string) (value string, set bool)

	// What is typed, once something was asked; awaited: a line was asked for and has not come.
	asking  chan<- struct{}
	answers <-chan string
	awaited bool

	host   *remote.Host // --host; nil: this machine
	done   *atomic.Bool // what was asked for stands, and an interrupt takes nothing back
	json   bool         // --json
	set    []string     // --set
	writes bool         // the command may write: that it did not is worth a word
	sure   string       // said once the next command has made all its refusals
	status int          // the exit status, once a subcommand has run
}

// Main runs the process's own command line and gives its exit status. version is what the build was stamped with, or "".
func Main(version string) int {
	l := &line{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		inTerminal: isTerminal(os.Stdin), outTerminal: isTerminal(os.Stdout), errTerminal: isTerminal(os.Stderr),
		version: version, env: &commands.Env{Getenv: os.Getenv, Locale: locales.OfEnvironment(os.Getenv), Memory: &commands.Memory{}, Self: self()}, agent: runAgent, now: time.Now,
		lookup: os.LookupEnv, resolve: commands.Resolve, listEnum: commands.ListEnum,
		run: func(ctx context.Context, env *commands.Env, name string, argument []byte, p commands.Progress) (any, *commands.Failure) {
			return commands.Run(ctx, env, name, argument, p)
		},
	}
	if columns, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && l.outTerminal {
		l.width = max(columns, 40)
	}
	return l.main(os.Args[1:])
}

// self is the path by which this program was started, absolute: a link stays one, and goes on to lead to a newer version.
func self() string {
	path, err := exec.LookPath(os.Args[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		path, _ = os.Executable()
	}
	return path
}

func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()) }

// main runs one command line. Whatever a subcommand returns as an error is wrong usage, but for a *commands.Failure; the
// rest is in l.status.
func (l *line) main(args []string) int {
	root := l.root(args...)
	root.SetArgs(args)
	root.SetIn(l.in)
	root.SetOut(l.out)
	root.SetErr(l.err)
	used, err := root.ExecuteC()
	if f, refused := errors.AsType[*commands.Failure](err); refused {
		l.refuse(f)
		return l.status
	}
	if err != nil {
		try := "Try: " + used.CommandPath() + " --help"
		if l.json || wantsJSON(args) {
			f := commands.Refuse("invalidArgument", "what", strings.Join(strings.Fields(err.Error()), " "))
			f.Reason.Remedy, l.json = try, true
			l.complain(f)
			return exitUsage
		}
		for i, text := range strings.Split(strings.TrimSpace(err.Error()), "\n") {
			if i == 0 {
				text = "sidefork: " + text
			}
			fmt.Fprintln(l.err, commands.Printable(text))
		}
		fmt.Fprintln(l.err, try)
		return exitUsage
	}
	return l.status
}

// wantsJSON finds --json where the flags could not be parsed to their end.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// Commands is the command line as a tree, for who documents it. Nothing of it is to be run.
func Commands(version string) *cobra.Command {
	return (&line{version: version, env: &commands.Env{Getenv: func(string) string { return "" }}, lookup: os.LookupEnv}).root()
}

// root is the command line. For serve, whose editor waits, the other commands are not made.
func (l *line) root(args ...string) *cobra.Command {
	if len(args) > 0 && args[0] == "serve" {
		root := &cobra.Command{Use: "sidefork", SilenceErrors: true, SilenceUsage: true}
		root.CompletionOptions.DisableDefaultCmd = true
		l.common(root)
		root.AddCommand(l.serveCommand())
		return root
	}
	root := &cobra.Command{
		Use:   "sidefork",
		Short: "Fork a coding agent's session into a child git worktree",
		Long: `sidefork forks a coding agent's session (Claude Code, Codex, opencode, pi) into a child git worktree: a new workspace at the
parent's exact commit, with its uncommitted changes, proved equal, and the conversation so far. The parent, its
agent and its transcript stay as they are. It happens completely, or not at all.`,
		Example: `  sidefork                                   this repository, and what can be done next
  sidefork sessions                          which conversations there are in this workspace
  sidefork dialog                            ask for all that a fork needs, then fork
  sidefork fork --name try-cache             fork the newest one into the branch try-cache
  sidefork plan --name try-cache             what that would do, file by file; writes nothing
  sidefork workspaces                        the repository's workspaces as a tree`,
		Version:       versionOf(l.version),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Args, root.RunE = cobra.NoArgs, l.overview(root)
	l.common(root)
	add := func(c *cobra.Command) { root.AddCommand(c) }
	add(l.forkCommand())
	add(l.dialogCommand())
	add(l.planCommand())
	add(l.runCommand())
	add(l.attachCommand())
	add(l.carryCommand())
	add(l.sessionsCommand())
	add(l.workspacesCommand())
	add(l.inspectCommand())
	add(l.outcomeCommand())
	add(l.recoverCommand())
	add(l.locateCommand())
	add(l.guardCommand())
	add(l.resumeCommand())
	add(l.adoptCommand())
	add(l.archiveCommand())
	add(l.removeCommand())
	add(l.compareCommand())
	add(l.trustCommand())
	add(l.serveCommand())
	add(l.settingsCommand())
	add(l.hostCommand())
	add(l.doctorCommand())
	add(l.versionCommand())
	add(l.jobCommand())
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil && completion != root {
		completion.Example = "  source <(sidefork completion bash)\n  sidefork completion zsh > \"${fpath[1]}/_sidefork\""
	}
	return root
}

// common is what every command has.
func (l *line) common(root *cobra.Command) {
	root.PersistentFlags().BoolVar(&l.json, "json", false, "print exactly the wire result on stdout, and an error's data on stderr")
	root.PersistentFlags().StringArrayVar(&l.set, "set", nil, "a setting for this time, as `NAME=VALUE` (repeatable): sidefork settings lists them")
	root.PersistentFlags().String("host", "", "do it on another machine, `USER@BOX`, by ssh: paths are of that machine, relative ones from your home there")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpTemplate(root.HelpTemplate() + statuses)
}

// statuses is shown under the help of every command: scripts need it where they look.
const statuses = `
Exit status:
  0 done   1 failed and rolled back (or kept: it says what stands)   2 wrong usage
  3 refused, nothing written   4 unknown: may be partially applied   130 cancelled, everything taken back
`
