package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sidefork/sidefork/commands"
)

// table prints rows in columns, two blanks apart, each cell printable. The last column may be as long as it likes.
func (l *line) table(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			row[i] = commands.Printable(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range rows {
		var text strings.Builder
		for i, cell := range row {
			text.WriteString(cell)
			text.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
		}
		fmt.Fprintln(l.out, strings.TrimRight(text.String(), " "))
	}
}
