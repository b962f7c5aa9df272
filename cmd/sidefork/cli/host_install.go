package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

func (l *line) hostCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "host",
		Short: "Put sidefork on another machine, for --host",
		Long: `host is about other machines: those that --host names and that editors reach by their own remotes. Everything that is done
there is done by the sidefork there, with that machine's agents, settings and trust. sidefork doctor --host looks at one.`,
		Example: "  sidefork host install me@box\n  sidefork doctor --host me@box",
		Args:    arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return errors.New("host wants to know what to do: sidefork host install BOX")
		},
	}
	c.AddCommand(l.hostInstallCommand())
	return c
}

func (l *line) hostInstallCommand() *cobra.Command {
	var dist string
	c := &cobra.Command{
		Use:   "install BOX",
		Short: "Put sidefork on another machine",
		Long: `install copies sidefork to BOX by ssh, for your user there: to ~/.local/share/sidefork/VERSION/sidefork, with a link to it at
~/.local/bin/sidefork. The program is that of --dist for the machine's platform (sidefork-linux-arm64), else this one, where
both platforms are the same. Its checksum is taken there and it is run once before anything is put in its place, and each
step is one rename: what runs there meanwhile goes on. Where all is there already, nothing is written. A
~/.local/bin/sidefork that this did not make is left alone, and refused.`,
		Example: "  sidefork host install me@box\n  sidefork host install box --dist dist",
		Args:    arguments(1, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().StringVar(&dist, "dist", "", "the `FOLDER` that holds sidefork for other platforms, as sidefork-GOOS-GOARCH")
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("host") {
			return errors.New("install takes the machine as its argument, and no --host")
		}
		l.writes = true
		if !l.settle(c) {
			return nil
		}
		ctx, stop := l.interruptible(context.Background())
		defer stop()
		if failed := l.elsewhere(args[0]); failed != nil {
			l.refuse(failed)
			return nil
		}
		r, failed := l.host.Install(ctx, dist)
		if failed != nil {
			l.refuseOrCancel(failed)
			return nil
		}
		raw, err := json.Marshal(r)
		if err != nil {
			return err
		}
		l.tell(answer{result: raw}, func(json.RawMessage) {
			done := "sidefork is on %s now.\n"
			if r.Done == "present" {
				done = "sidefork was on %s already; nothing was written.\n"
			}
			fmt.Fprintf(l.out, done, r.Host)
			l.fact("version", r.Version+" ("+r.Platform+")")
			l.fact("program", r.Program)
			l.fact("link", r.Link)
			l.fact("sha256", r.SHA256)
			l.note("Look what it finds there: sidefork doctor --host %s", commands.Printable(r.Host))
		})
		return nil
	}
	return c
}
