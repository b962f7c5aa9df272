package cli

import "github.com/charmbracelet/x/ansi"

// The styles say nothing that the words do not.
var (
	bold   = ansi.Style{}.Bold()
	red    = ansi.Style{}.Bold().ForegroundColor(ansi.Red)
	yellow = ansi.Style{}.Bold().ForegroundColor(ansi.Yellow)
)

// styled is a text in a style, where there is a terminal that shows it and its person has not said NO_COLOR
// (https://no-color.org). text is printable.
func (l *line) styled(terminal bool, style ansi.Style, text string) string {
	if no, _ := l.lookup("NO_COLOR"); !terminal || no != "" || text == "" || l.dumb() {
		return text
	}
	return style.Styled(text)
}
