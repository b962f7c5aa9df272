package cli

import (
	"strings"
	"testing"
)

// TestWrongUsageIsSaidInSentencesOfOurOwn, not in those of the libraries that read flags and numbers.
func TestWrongUsageIsSaidInSentencesOfOurOwn(t *testing.T) {
	for args, want := range map[string]string{
		"inspect --frobnicate":                              "there is no flag --frobnicate",
		"inspect -q":                                        "there is no flag -q",
		"inspect -zq":                                       "there is no flag -z",
		"fork --name":                                       "--name wants a value",
		"fork --=x":                                         "--=x is no flag",
		"sessions --limit many":                             `--limit cannot be "many": it is no whole number`,
		"sessions --limit 99999999999999999999":             "it is no whole number",
		"inspect --json=perhaps":                            "",
		"fork --name x --no-carry=perhaps":                  `--no-carry cannot be "perhaps": it is neither true nor false`,
		"fork --name x --launch elsewhere":                  `--launch cannot be "elsewhere": it is not one of client, tmux, none`,
		"carry one":                                         "1 argument was given to: sidefork carry FROM TO",
		"outcome":                                           "0 arguments were given to: sidefork outcome OPERATION [REPOSITORY]",
		"fork a b --name x":                                 "2 arguments were given to: sidefork fork [WORKSPACE] --name BRANCH",
		"fork --name x --latest --no-session":               "--latest and --no-session exclude each other: give only one of them",
		"fork --name x --base main --base-default":          "--base and --base-default exclude each other",
		"fork --name x --no-session --no-carry --unstage":   "--no-carry and --unstage exclude each other",
		"fork --name x --no-session --no-carry --include=x": "--no-carry and --include exclude each other",
		"plan --no-session --no-carry --unstage":            "--no-carry and --unstage exclude each other",
		"fork --name x --no-session --dir=":                 "--dir is empty",
		"plan --no-session --dir=":                          "--dir is empty",
	} {
		c := newConsole(t, nil)
		if got := c.line.main(strings.Fields(args)); got != exitUsage {
			t.Errorf("%s: exit status %d", args, got)
		}
		said := c.err.String()
		if !strings.Contains(said, want) {
			t.Errorf("%s: %q is missing in:\n%s", args, want, said)
		}
		for _, theirs := range []string{"strconv", "pflag", "shorthand", "arg(s)", "if any flags", "invalid argument"} {
			if strings.Contains(said, theirs) {
				t.Errorf("%s: %q in:\n%s", args, theirs, said)
			}
		}
		if c.last != nil {
			t.Errorf("%s: a command was asked", args)
		}
	}
	c := newConsole(t, map[string]any{"sidefork.fork": forked()})
	if got := c.line.main(strings.Fields("fork --name x --no-session --no-carry=false --unstage")); got != exitDone {
		t.Errorf("exit status %d: %s", got, c.err.String())
	}
}
