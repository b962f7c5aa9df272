package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/shell"
)

//go:generate go test -run TestTheDocumentOfCommandsIsWhatHelpSays -update .

var update = flag.Bool("update", false, "write docs/commands.md anew")

// visible gives the commands that --help lists, in its order.
func visible(root *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			list = append(list, c)
		}
	}
	return list
}

// TestTheDocumentOfCommandsIsWhatHelpSays: docs/commands.md is made of the commands' own help.
func TestTheDocumentOfCommandsIsWhatHelpSays(t *testing.T) {
	const path, begin = "../../../docs/commands.md", "<!-- made by go generate ./cmd/sidefork/cli -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(text), begin)
	if !found {
		t.Fatalf("%s has no place for the commands", path)
	}
	var out strings.Builder
	out.WriteString(before + begin)
	for _, c := range visible(newConsole(t, nil).line.root()) {
		describe(&out, c)
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if out.String() != string(text) {
		t.Errorf("%s is stale: go generate ./cmd/sidefork/cli", path)
	}
}

func describe(out *strings.Builder, c *cobra.Command) {
	long := c.Long
	if long == "" || c.Name() == "completion" { // cobra's own speaks of each shell
		long = c.Short + "."
	}
	fmt.Fprintf(out, "\n## %s\n\n%s\n\n```sh\n%s\n```\n", c.Name(), strings.TrimSpace(escaped(long)), c.UseLine())
	if example := c.Example; example != "" {
		fmt.Fprintf(out, "\nFor example:\n\n```sh\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(example, "  "), "\n  ", "\n"))
	}
	var rows strings.Builder
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			value = " " + value
		}
		fmt.Fprintf(&rows, "| `--%s%s` | %s |\n", f.Name, strings.ReplaceAll(value, "|", "\\|"), strings.ReplaceAll(escaped(usage), "|", "\\|"))
	})
	if rows.Len() > 0 {
		fmt.Fprintf(out, "\n| flag | |\n|---|---|\n%s", rows.String())
	}
}

func escaped(text string) string {
	return strings.NewReplacer("<", "&lt;", "*", "\\*").Replace(text)
}

// TestEveryExampleOfTheHelpIsACommandLine: each is parsed to its end; none is run.
func TestEveryExampleOfTheHelpIsACommandLine(t *testing.T) {
	for _, c := range visible(newConsole(t, nil).line.root()) {
		if c.Example == "" {
			t.Errorf("%s has no example", c.Name())
		}
		for line := range strings.Lines(c.Example) {
			isCommandLine(t, c.Name(), line)
		}
	}
}

// TestEveryCommandLineOfTheDocumentsIsOne: those that stand in blocks of shell.
func TestEveryCommandLineOfTheDocumentsIsOne(t *testing.T) {
	block := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	checked := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "editors/*/README.md"} {
		paths, _ := filepath.Glob(filepath.Join("../../..", pattern))
		for _, path := range paths {
			if filepath.Base(path) == "commands.md" {
				continue // made of the help; its usage lines are none
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range block.FindAllStringSubmatch(string(text), -1) {
				for line := range strings.Lines(found[1]) {
					if isCommandLine(t, path, line) {
						checked++
					}
				}
			}
		}
	}
	if checked < 6 {
		t.Errorf("only %d were found", checked)
	}
}

// isCommandLine parses a line to its end, if it is sidefork's.
func isCommandLine(t *testing.T, where, line string) bool {
	t.Helper()
	text, _, _ := strings.Cut(strings.TrimSpace(line), "   ") // a remark stands behind
	text, _, _ = strings.Cut(text, "  #")
	if !strings.HasPrefix(text, "sidefork ") {
		return false
	}
	text, _, _ = strings.Cut(text, " > ")
	text, _, _ = strings.Cut(text, " | ")
	words, err := shell.Fields(text, func(string) string { return "x" })
	if err != nil {
		t.Errorf("%s: %q: %v", where, text, err)
		return true
	}
	used, rest, err := newConsole(t, nil).line.root().Find(words[1:])
	if err == nil {
		err = used.ParseFlags(rest)
	}
	if err == nil && used.Args != nil {
		err = used.ValidateArgs(used.Flags().Args())
	}
	if err != nil {
		t.Errorf("%s: %q: %v", where, text, err)
	}
	return true
}
