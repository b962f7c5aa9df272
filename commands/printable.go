package commands

import (
	"strings"
	"unicode"
)

// Printable strips what may not reach a terminal, a menu or a log from a word that comes from outside (a title, a path,
// a name): control characters, escape sequences' starts, bidirectional overrides, and bytes that are no UTF-8. Line
// breaks and tabs become blanks.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r) && r != '\u200d', r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// printableText is Printable line by line: what a program printed, for a detail.
func printableText(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = Printable(line)
	}
	return strings.Join(lines, "\n")
}
