package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sidefork/sidefork/cmd/sidefork/remote"
	"github.com/sidefork/sidefork/commands"
)

// elsewhere has everything that is asked for done on another machine (--host). Its settings hold there, and of those here only
// which ssh is used.
func (l *line) elsewhere(name string) *commands.Failure {
	host, failed := remote.New(remote.Options{
		Name: name, SSH: l.env.Settings.SSHProgram(), Version: versionOf(l.version), Hears: l.hears(), Says: func(english string, a ...any) { l.note(english, a...) }, Locale: l.env.Language().Name(),
		Set: slices.DeleteFunc(slices.Clone(l.set), func(setting string) bool { return strings.HasPrefix(setting, "ssh=") }),
	})
	if failed != nil {
		return failed
	}
	l.host, l.run, l.resolve, l.listEnum = host, host.Run, host.Resolve, host.ListEnum
	return nil
}

// hears prints what ssh and the host say. With --json it goes into the detail of what fails.
func (l *line) hears() func(string) {
	if l.json {
		return nil
	}
	return func(text string) { fmt.Fprintln(l.err, text) }
}

// refuseOrCancel says why a host was not reached.
func (l *line) refuseOrCancel(f *commands.Failure) {
	if remote.IsCancelled(f) {
		l.tell(answer{result: []byte(`{"status":"cancelled"}`), cancelled: true}, nil)
		return
	}
	l.refuse(f)
}

// onHost is what the command lines that we print need to mean the same machine.
func (l *line) onHost() string {
	if l.host == nil {
		return ""
	}
	return " --host " + l.host.Name()
}

// overSSH is a launch on the other machine as one of this machine: ssh with this terminal.
func (l *line) overSSH(launch commands.Launch) commands.Launch {
	return commands.Launch{Argv: l.host.Argv(true, launch.CommandLine.POSIX)}
}

// inTmux is how many agents of a fork were started in tmux.
func inTmux(r commands.ForkResult) (count int) {
	if r.Launch != nil && r.Launch.Tmux != "" {
		count++
	}
	for _, c := range r.Copies {
		if c.ForkResult != nil {
			count += inTmux(*c.ForkResult)
		}
	}
	return count
}

// passOn runs a subcommand that is no question to a sidecar (doctor, version, attach, run) on the other machine, as if it had
// been typed there; terminal: with this terminal. Its exit status is ours.
func (l *line) passOn(ctx context.Context, terminal bool, arguments ...string) {
	if l.json {
		arguments = slices.Insert(arguments, 1, "--json")
	}
	for _, setting := range l.set {
		arguments = slices.Insert(arguments, 1, "--set="+setting)
	}
	if terminal {
		status, err := l.agent(context.WithoutCancel(ctx), commands.Launch{Argv: l.host.Argv(true, remote.Sidefork(arguments...))})
		if err != nil {
			l.refuse(commands.Refuse("sshMissing", "program", l.env.Settings.SSHProgram()))
			return
		}
		l.status = status
		return
	}
	out, status, failed := l.host.Output(ctx, arguments...)
	if failed != nil {
		l.refuseOrCancel(failed)
		return
	}
	for text := range strings.Lines(out) {
		text = strings.TrimRight(text, "\r\n")
		if !l.json {
			text = commands.Printable(text)
		}
		fmt.Fprintln(l.out, text)
	}
	l.status = status
}

// withFlags are the arguments with the command's own flags in front, as they were given; those of every command passOn knows.
func withFlags(c *cobra.Command, args []string) (all []string) {
	c.LocalNonPersistentFlags().Visit(func(f *pflag.Flag) { all = append(all, "--"+f.Name+"="+f.Value.String()) })
	return append(append(all, "--"), args...)
}

// isElsewhere says, while a shell completes a word, whether that is about another machine.
func isElsewhere(c *cobra.Command) bool { return c.Flags().Changed("host") }
