package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sessions/terminal"
)

func (l *line) runCommand() *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use:   "run -- AGENT [ARGUMENT]…",
		Short: "Run any agent in this terminal, so that it can be forked",
		Long: `run runs AGENT as if it had been typed without it, and keeps what its terminal shows: sidefork sessions lists it, and a
fork of it starts the same agent anew with that text as a draft in its prompt, not sent. It is for agents whose
conversations sidefork cannot fork otherwise. Exit status: the agent's.

What is kept is text, at most the last 1 MiB, with what looks like a secret masked, in $XDG_STATE_HOME/sidefork/terminals,
readable by you alone, and deleted after 30 days (settings terminals.maxBytes, terminals.keepDays).

A command that would take up a conversation which is running elsewhere is refused (see sidefork guard).`,
		Example: "  sidefork run -- aider --model sonnet\n  sidefork fork --name try-cache --latest",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && folder == "" {
				return errors.New("run wants an agent: sidefork run -- AGENT")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return agents(), cobra.ShellCompDirectiveDefault
		},
	}
	c.Flags().SetInterspersed(false) // what comes behind the agent is the agent's
	c.Flags().StringVar(&folder, "record", "", "start what a fork has prepared in `FOLDER`")
	_ = c.Flags().MarkHidden("record")
	c.RunE = func(c *cobra.Command, args []string) error {
		if !l.settle(c) {
			return nil
		}
		if folder != "" && !filepath.IsAbs(folder) {
			return fmt.Errorf("--record wants an absolute path, not %s", folder)
		}
		for what, is := range map[string]bool{"The input": l.inTerminal, "The output": l.outTerminal} {
			if !is {
				l.refuse(commands.Refuse("noTerminal", "what", what))
				return nil
			}
		}
		if l.host != nil {
			if folder != "" {
				return errors.New("--record and --host exclude each other")
			}
			l.passOn(context.Background(), true, append([]string{"run", "--"}, args...)...)
			return nil
		}
		r := commands.Recording{Folder: folder, In: os.Stdin, Out: os.Stdout}
		if len(args) > 0 {
			r.Argv = args
		}
		ended, failed := commands.RunRecorded(context.Background(), l.env, r)
		if failed != nil {
			l.refuse(failed)
			return nil
		}
		if ended.Record != nil {
			l.print(l.err, "sidefork: what the agent showed was not all recorded: %s", commands.Printable(ended.Record.Error()))
		}
		if ended.Untyped {
			l.print(l.err, "sidefork: the transcript was not put into the agent's prompt; it is in %s", terminal.DraftPath(folder))
		}
		l.status = ended.Status
		return nil
	}
	return c
}

// jobCommand is what run starts on the agent's terminal, to run the agent as its job.
func (l *line) jobCommand() *cobra.Command {
	c := &cobra.Command{
		Use: commands.JobCommand, Hidden: true, Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			status, err := terminal.Job(args)
			if err != nil {
				l.print(l.err, "sidefork: the agent could not be started: %s", commands.Printable(err.Error()))
			}
			l.status = status
			return nil
		},
	}
	c.Flags().SetInterspersed(false)
	return c
}
