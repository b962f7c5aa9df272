package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/sidefork/sidefork/commands"
)

const (
	narrowest = 10 // columns of a cell that is cut
	remark    = 14 // columns of a last cell that never moves to a line of its own
)

// table prints rows in columns, two blanks apart, each cell printable. On a terminal that is too narrow the cells of the
// soft columns are cut, and what is long in the last column goes to lines of its own; elsewhere every cell is whole.
func (l *line) table(rows [][]string, soft ...int) {
	for _, text := range l.layout(rows, soft) {
		fmt.Fprintln(l.out, text)
	}
}

// headed is a table whose first row says what the columns are.
func (l *line) headed(rows [][]string, soft ...int) {
	for i, text := range l.layout(rows, soft) {
		if i == 0 {
			text = l.styled(l.outTerminal, bold, text)
		}
		fmt.Fprintln(l.out, text)
	}
}

// layout gives the lines of a table.
func (l *line) layout(rows [][]string, soft []int) (lines []string) {
	widths := measure(rows)
	last := len(widths) - 1
	narrow := l.width > 0 && total(widths) > l.width
	if narrow {
		widths[last] = 0
		for _, row := range rows {
			if len(row) > last && width(row[last]) <= remark {
				widths[last] = max(widths[last], width(row[last]))
			}
		}
		squeeze(widths, soft, l.width)
	}
	for _, row := range rows {
		var text strings.Builder
		var below string
		for i, cell := range row {
			switch {
			case narrow && i == last && width(cell) > widths[i]:
				below = cell
				continue
			case width(cell) > widths[i]:
				cell = shorten(cell, widths[i])
			}
			text.WriteString(cell)
			text.WriteString(strings.Repeat(" ", max(widths[i]-width(cell), 0)+2))
		}
		lines = append(lines, strings.TrimRight(text.String(), " "))
		for _, part := range wrap(below, l.width-4) {
			lines = append(lines, "    "+part)
		}
	}
	return lines
}

// width is how many columns a terminal needs for it: two for a wide character, none for a mark on another.
func width(cell string) int { return ansi.StringWidth(cell) }

// measure makes every cell printable and gives each column's width.
func measure(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			row[i] = commands.Printable(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(row[i]))
		}
	}
	return widths
}

func total(widths []int) int {
	sum := 2 * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// squeeze takes from the widest of the soft columns until the table fits, or all of them are as narrow as can be.
func squeeze(widths, soft []int, limit int) {
	for total(widths) > limit {
		widest := slices.MaxFunc(soft, func(a, b int) int { return widths[a] - widths[b] })
		if widths[widest] <= narrowest {
			return
		}
		widths[widest]--
	}
}

// shorten cuts a cell to n columns: a path at its beginning, as its end tells more; any other text at its end.
func shorten(cell string, n int) string {
	switch {
	case width(cell) <= n:
		return cell
	case filepath.IsAbs(cell):
		return ansi.TruncateLeft(cell, width(cell)-n+1, "…")
	}
	return ansi.Truncate(cell, n, "…")
}

// wrap breaks a text at its blanks into lines of at most n columns; a longer word has a line of its own, unless it is written
// in wide characters, which stand without blanks and may be broken anywhere.
func wrap(text string, n int) []string {
	var lines []string
	for word := range strings.FieldsSeq(text) {
		if width(word) > n && n > 1 && width(word) > utf8.RuneCountInString(word) {
			lines = append(lines, strings.Split(ansi.Hardwrap(word, n, false), "\n")...)
			continue
		}
		if end := len(lines) - 1; end >= 0 && width(lines[end])+1+width(word) <= n {
			lines[end] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
