package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sidefork/sidefork/commands"
)

func (l *line) settingsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "settings",
		Short: "List the settings, and where each comes from",
		Long: `settings lists all settings as they hold here: of the defaults, the user's file (doctor says where it is), the environment
(SIDEFORK_CARRY_MAX_FILES for carry.maxFiles) and --set, the later over the earlier. Those of an editor lie between the file
and the environment, and are that editor's alone.`,
		Example: "  sidefork settings\n  sidefork settings --set carry.maxFiles=50000 --json",
		Args:    arguments(0, 0),
		RunE: l.does(func(ctx context.Context, _ []string) error {
			l.call(ctx, "sidefork.settings", struct{}{}, show(l, l.showSettings))
			return nil
		}),
	}
}

func (l *line) showSettings(r commands.SettingsResult) {
	for _, s := range r.Settings {
		origin := s.Origin
		if origin == "" {
			origin = l.say("default")
		}
		fmt.Fprintln(l.out, commands.Printable(s.Name+" = "+inJSON(s.Value)+"  ("+origin+")"))
	}
}

func inJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(raw)
}
