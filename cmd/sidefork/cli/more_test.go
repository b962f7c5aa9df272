package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/commands"
)

func TestEveryErrorNamesTheCommandThatShowsMore(t *testing.T) {
	codes, seen := commands.Codes(), map[string]bool{}
	for command, about := range shows {
		for _, code := range about {
			if seen[code] || !slices.Contains(codes, code) {
				t.Errorf("%s is there twice, or no reason", code)
			}
			seen[code] = true
		}
		words := strings.Fields(strings.TrimSuffix(command, " --help"))
		c, _, err := Commands("").Find(words[1:])
		if err != nil || len(words) > 1 && c.Name() != words[1] {
			t.Errorf("there is no %s: %v", command, err)
		}
	}
	for _, code := range codes {
		c := newConsole(t, map[string]any{"sidefork.workspaces": &commands.Failure{Reason: commands.Reason{Code: code, Message: "No.", Remedy: "Do."}, Effect: commands.Nothing}})
		c.line.main([]string{"workspaces"})
		lines := strings.Split(strings.TrimSuffix(c.err.String(), "\n"), "\n")
		if len(lines) != 3 || lines[0] != "sidefork: No. ["+code+"]" || lines[1] != "  Do." || !strings.HasPrefix(lines[2], "  More: sidefork ") {
			t.Errorf("%q", lines)
		}
	}
}

func TestColoursAreForATerminalWhosePersonWantsThem(t *testing.T) {
	answers := map[string]any{"sidefork.workspaces": commands.Refuse("detached")}
	for _, test := range []struct {
		terminal bool
		set      string
		coloured bool
	}{{true, "A=b", true}, {false, "A=b", false}, {true, "NO_COLOR=1", false}, {true, "TERM=dumb", false}} {
		c := newConsole(t, answers)
		c.line.errTerminal = test.terminal
		c.line.lookup = func(name string) (string, bool) {
			set := map[string]string{"TERM": "xterm"}
			of, value, _ := strings.Cut(test.set, "=")
			set[of] = value
			value, there := set[name]
			return value, there
		}
		c.line.main([]string{"workspaces"})
		if got := strings.Contains(c.err.String(), "m\x1b") || strings.Contains(c.err.String(), "\x1b[1"); got != test.coloured {
			t.Errorf("%+v: %q", test, c.err.String())
		}
	}
}
