package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/sidefork/sidefork/commands"
)

// What a person reads is said in their language (package locales), by these: a sentence stands in English where it is said,
// and is the name of its translations. The help, and what is said of wrong usage, are English alone.

// say is a sentence, filled in.
func (l *line) say(english string, a ...any) string {
	text := l.env.Language().Text(english)
	if len(a) == 0 { // a word, or a code that is none
		return text
	}
	return fmt.Sprintf(text, a...)
}

// print says a sentence on a line of its own.
func (l *line) print(to io.Writer, english string, a ...any) {
	fmt.Fprintln(to, l.say(english, a...))
}

// counted is a sentence about n things: "%d session", "%d sessions".
func (l *line) counted(n int, one, other string) string {
	return fmt.Sprintf(l.env.Language().Count(n, one, other), n)
}

// headings are the first row of a table.
func (l *line) headings(english ...string) []string {
	row := make([]string, len(english))
	for i, word := range english {
		row[i] = l.say(word)
	}
	return row
}

// fact prints one line of a summary.
func (l *line) fact(name, value string) {
	columns := 10
	if !l.env.Language().IsEnglish() { // TestTheNamesOfFactsFit
		columns = 14
	}
	if name != "" {
		name = l.say(name)
	}
	fmt.Fprintf(l.out, "  %s%s %s\n", name, strings.Repeat(" ", max(0, columns-width(name))), commands.Printable(value))
}
