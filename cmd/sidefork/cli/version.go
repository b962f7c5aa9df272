package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what a binary knows of how it was made.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// builtFrom reads the build's own record. stamped is what -ldflags set, or "".
func builtFrom(stamped string) build {
	b := build{Version: stamped, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b.named()
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b.named()
}

// versionOf is the version alone. It does not read the build's record where it was stamped: an editor waits for it.
func versionOf(stamped string) string {
	if stamped != "" {
		return stamped
	}
	return builtFrom(stamped).Version
}

func (b build) named() build {
	if b.Version == "" {
		b.Version = "(devel)"
	}
	return b
}

func (l *line) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and how it was built",
		Example: "  sidefork version\n  sidefork version --json",
		Args:    arguments(0, 0),
		RunE: l.does(func(context.Context, []string) error {
			b := builtFrom(l.version)
			if l.json {
				raw, err := json.Marshal(b)
				if err != nil {
					l.refuse(mistake(err))
					return nil
				}
				fmt.Fprintf(l.out, "%s\n", raw)
				return nil
			}
			fmt.Fprintf(l.out, "sidefork %s (%s, %s)\n", b.Version, b.Go, b.Platform)
			if b.Commit != "" {
				state := ""
				if b.Modified {
					state = ", " + l.say("with uncommitted changes")
				}
				l.print(l.out, "commit %s of %s%s", b.Commit, b.Time, state)
			}
			return nil
		}),
	}
}
