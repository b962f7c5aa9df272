package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/sidefork/sidefork/commands"
)

// goThrough is a command's progress.
func goThrough(s *stages) {
	s.Stage("op", commands.Preparing, 0)
	s.Report(20, "half \x1b[2J of a very long way to a name that nobody can read in one line")
	s.Stage("op", commands.Copying, 60)
	s.Report(70, "")
	s.end()
}

func TestProgressIsOneLineForEachStage(t *testing.T) {
	var out bytes.Buffer
	goThrough(&stages{to: &out, moves: true, width: 40})
	if got := strings.Count(out.String(), "\n"); got != 2 {
		t.Errorf("%d lines: %q", got, out.String())
	}
	for part := range strings.SplitSeq(out.String(), "\r\x1b[K") {
		if width := ansi.StringWidth(part); width > 39 || strings.Contains(part, "\x1b") {
			t.Errorf("%d columns: %q", width, part)
		}
	}
	if !strings.Contains(out.String(), "\r\x1b[K| Copying changes …") || !strings.HasSuffix(out.String(), "\r\x1b[KCopying changes … 70 %\n") {
		t.Errorf("%q", out.String())
	}
}

func TestProgressIsPlainLinesWhereNobodyWatches(t *testing.T) {
	var out bytes.Buffer
	goThrough(&stages{to: &out})
	if got := out.String(); got != "Preparing …\nCopying changes …\n" {
		t.Errorf("%q", got)
	}
	for _, l := range []*line{
		{errTerminal: true},
		{errTerminal: true, outTerminal: true, lookup: func(name string) (string, bool) { return "dumb", name == "TERM" }},
		{errTerminal: true, outTerminal: true, lookup: func(name string) (string, bool) { return "1", name == "ACCESSIBLE" }},
	} {
		l.err = &out
		if l.lookup == nil {
			l.lookup = func(string) (string, bool) { return "", false }
		}
		if s := l.progress(); s.moves || s.to == nil {
			t.Errorf("%+v moves, or is silent", l)
		}
	}
}
