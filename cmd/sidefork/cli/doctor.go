package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/cmd/sidefork/doctor"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sidecar"
)

func (l *line) doctorCommand() *cobra.Command {
	var bundle string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say whether all is well on this machine, and what to do where it is not",
		Long: `doctor looks at all that sidefork needs, and says of each whether it is ok, a warning or an error, with what to do about it:
git, each agent's program, version, account folders and sessions, the editors, tmux, the settings with where each comes
from, the logs, and the room on the disk. In a repository also whether it can be forked, what is pending or was
interrupted, whether a git is at work, and whether its setup is approved. It changes nothing. Exit status 1 where
something is an error.

With --bundle it writes a file for a report of a mistake, readable by you alone, after it has shown what is in it: versions,
counts and states; no prompts, no titles, no names of branches, sessions or repositories, and no texts of settings.`,
		Example: "  sidefork doctor\n  sidefork doctor --json\n  sidefork doctor --bundle report.json",
		Args:    arguments(0, 0),
	}
	c.Flags().StringVar(&bundle, "bundle", "", "show, then write a redacted report to the new `FILE`")
	c.RunE = l.does(func(ctx context.Context, _ []string) error {
		if c.Flags().Changed("bundle") && l.json {
			return errors.New("--bundle shows what it writes: it has no place beside --json")
		}
		here, err := filepath.Abs(".")
		if err != nil {
			return err
		}
		_, _, _, broken := l.settings()
		b := builtFrom(l.version)
		found := doctor.Machine{
			Env: l.env, Here: here, Logs: sidecar.LogFolder(l.env.Getenv), Settings: broken, LookPath: exec.LookPath,
		}.Examine(ctx, b, b.Version+" ("+b.Go+", "+b.Platform+")")
		if found.Worst() == doctor.Error {
			l.status = exitFailed
		}
		switch {
		case c.Flags().Changed("bundle"):
			return l.writeBundle(ctx, found, bundle)
		case l.json:
			raw, err := json.Marshal(found)
			if err != nil {
				l.refuse(mistake(err))
				return nil
			}
			fmt.Fprintf(l.out, "%s\n", raw)
		default:
			l.showExamination(found)
		}
		return nil
	})
	return c
}

// showExamination prints a line for each check, what to do about it, and what else was seen.
func (l *line) showExamination(e doctor.Examination) {
	for _, c := range e.Checks {
		state := l.say(stateInWords(string(c.State)))
		state += strings.Repeat(" ", max(len(doctor.Warning)-width(state), 0))
		switch c.State {
		case doctor.Warning:
			state = l.styled(l.outTerminal, yellow, state)
		case doctor.Error:
			state = l.styled(l.outTerminal, red, state)
		}
		fmt.Fprintf(l.out, "%s  %-10s %s\n", state, c.About, commands.Printable(c.Message))
		for _, text := range append([]string{c.Remedy}, c.More...) {
			if text != "" {
				fmt.Fprintf(l.out, "%20s %s\n", "", commands.Printable(text))
			}
		}
	}
}

// writeBundle shows the bundle, then writes it to a file that is not there yet. A person at a terminal is asked in between.
func (l *line) writeBundle(ctx context.Context, e doctor.Examination, path string) error {
	if path == "" {
		return errors.New("--bundle wants the name of a file")
	}
	text, err := e.Bundle(l.env.Getenv)
	if err != nil {
		l.refuse(mistake(err))
		return nil
	}
	fmt.Fprintf(l.out, "%s", text)
	if l.inTerminal && l.errTerminal {
		fmt.Fprint(l.err, l.say("Write this to %s? (y writes it)", commands.Printable(path)), " ")
		if word, _ := l.typed(ctx); !strings.EqualFold(word, "y") {
			l.note("Nothing was written.")
			l.status = exitCancelled
			return nil
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("the bundle cannot be written: %w", err)
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("the bundle cannot be written: %w", err)
	}
	l.status = exitDone
	l.note("Written to %s, for you alone to read.", commands.Printable(path))
	return nil
}

// forks tells how each agent's sessions can be forked, for the answer to initialize.
func forks() map[string]string {
	kinds := map[string]string{}
	for _, a := range sessions.Agents() {
		kinds[a.Name] = "native"
	}
	return kinds
}
