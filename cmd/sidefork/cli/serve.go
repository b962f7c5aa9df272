package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sessions/terminal"
	"github.com/sidefork/sidefork/sidecar"
)

// features are what this sidecar can do that has no command of its own; tmux where it is installed.
func (l *line) features() []string {
	features := []string{"changed", "copies", "form", "onDisconnect", "settle", "setup", "terminals", "transcripts", "turns"}
	if terminal.LookPath(l.env.Getenv, "tmux") != "" {
		features = append(features, "tmux")
	}
	return features
}

func (l *line) serveCommand() *cobra.Command {
	var stdio bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve an editor over stdin and stdout (LSP)",
		Long: `serve speaks the language server protocol on stdin and stdout until the editor says exit or goes away; what runs then
is taken back. Its log is a file in $XDG_STATE_HOME/sidefork/log. An editor starts it; see docs/contract.md.`,
		Example: "  sidefork serve\n  sidefork serve --stdio",
		Args:    arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("host") {
				return errors.New("serve is for this machine: an editor starts ssh -- BOX sidefork serve")
			}
			settings, over, warnings, err := l.settings()
			if err != nil { // no reason not to serve: the defaults hold
				fmt.Fprintf(l.err, "sidefork: %s\n", commands.Printable(err.Error()))
			}
			l.warn(warnings)
			if l.env.Getenv("GOGC") == "" {
				defer runtime.KeepAlive(collectLess())
			}
			l.status = sidecar.Serve(context.Background(), l.in, l.out, sidecar.Options{
				Version:  versionOf(l.version),
				Settings: settings,
				Over:     over,
				Getenv:   l.env.Getenv,
				Agents:   forks,
				Features: l.features(),
				Self:     l.env.Self,
				Recover: func(ctx context.Context, env *commands.Env) {
					commands.RecoverFolders(ctx, env, env.Folders)
					commands.SweepTerminals(env)
				},
			})
			return nil
		},
	}
	c.Flags().BoolVar(&stdio, "stdio", false, "the only way there is; some clients add this flag")
	return c
}

// collectLess sets how often garbage is collected in a process that stays beside an editor all day: seldom as long as
// there is little, for which memory that is never touched, and so never there, counts as used; early when there is much,
// so that a carry of 10,000 files keeps under 64 MB.
func collectLess() (untouched []byte) {
	debug.SetGCPercent(50)
	return make([]byte, 4<<20)
}
