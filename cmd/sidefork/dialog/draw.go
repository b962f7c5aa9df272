package dialog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/sidefork/sidefork/commands"
)

// The styles say nothing that the words do not: without colours, and for who sees none, all of it is there.
var (
	cursor = ansi.Style{}.Reverse(true)
	bold   = ansi.Style{}.Bold()
	faint  = ansi.Style{}.Faint()
	red    = ansi.Style{}.ForegroundColor(ansi.Red)
)

// target is what a line of the screen belongs to.
type target struct {
	row   string
	entry int // of an open list: 1 is the first; 0: the row itself
}

type drawnLine struct {
	text string
	of   target
}

func (s *screen) View() tea.View {
	var text []string
	for _, l := range s.draw() {
		text = append(text, l.text)
	}
	view := tea.NewView(strings.Join(text, "\n"))
	view.AltScreen, view.MouseMode, view.WindowTitle = true, tea.MouseModeCellMotion, "sidefork"
	return view
}

// draw is the screen, line by line: as many as it has at most.
func (s *screen) draw() []drawnLine {
	if s.page != nil {
		return s.drawPage()
	}
	body, focus := s.body()
	foot := s.foot()
	if len(foot) > s.height/3 {
		foot = nil
	}
	room := max(s.height-len(foot), 1)
	if !s.wheeled { // what has the keyboard is in sight, its first line at any rate
		s.top = min(max(s.top, focus.last-room+1), focus.first)
	}
	s.top = max(min(s.top, len(body)-room), 0)
	return append(body[s.top:min(s.top+room, len(body))], foot...)
}

// span are lines of the form.
type span struct{ first, last int }

// body is the whole form, and where in it the keyboard is.
func (s *screen) body() (all []drawnLine, focus span) {
	add := func(of target, text string, first, rest string) {
		from := len(all)
		for i, part := range wrapped(text, s.width-ansi.StringWidth(first)) {
			indent := rest
			if i == 0 {
				indent = first
			}
			all = append(all, drawnLine{ansi.Truncate(indent+part, max(s.width, 1), ""), of})
		}
		switch here := of.row == s.at && (s.open == nil || of.entry == s.open.at+1); {
		case here && focus.last == 0:
			focus = span{from, len(all) - 1}
		case here:
			focus.last = len(all) - 1
		}
	}
	mark := func(row string) string {
		if row == s.at {
			return "> "
		}
		return "  "
	}
	for _, f := range s.form.Shown() {
		of := target{row: f.ID}
		label, value := s.form.Label(f)+":", s.value(f)
		if f.Type.Pending {
			value += faint.Styled("  " + s.form.say("(still reading)"))
		}
		if f.ID == s.at {
			label = bold.Styled(label)
		}
		switch {
		case kindOf(f) == "toggle":
			add(of, value+" "+strings.TrimSuffix(label, ":"), mark(f.ID), "      ")
		case ansi.StringWidth(label)+ansi.StringWidth(value)+3 <= s.width:
			add(of, label+" "+value, mark(f.ID), "    ")
		default:
			add(of, label, mark(f.ID), "    ")
			add(of, value, "    ", "    ")
		}
		if f.Error != "" {
			add(of, red.Styled("! "+commands.Printable(f.Error)), "    ", "      ")
		} else if f.Type.DisabledReason != "" {
			add(of, faint.Styled(commands.Printable(f.Type.DisabledReason)), "    ", "    ")
		}
		for _, line := range Script(f) {
			add(of, "$ "+line, "    ", "      ")
		}
		if changes, more := Changes(f); len(changes) > 0 {
			add(of, s.form.say("It has changed since you approved it:"), "    ", "    ")
			for _, line := range changes {
				add(of, line, "    ", "      ")
			}
			if more > 0 {
				add(of, fmt.Sprintf("… (+%d)", more), "    ", "    ")
			}
		}
		if s.open != nil && s.open.field.ID == f.ID {
			s.drawList(add)
		}
	}
	more := s.form.say("More")
	if s.form.More {
		more = s.form.say("Less")
	}
	for _, button := range [][2]string{{moreRow, more}, {forkRow, s.form.say("Fork")}, {planRow, s.form.say("Show the plan")}, {leaveRow, s.form.say("Leave")}} {
		text := "[ " + button[1] + " ]"
		if button[0] == s.at {
			text = cursor.Styled(text)
		}
		add(target{row: button[0]}, text, mark(button[0]), "    ")
	}
	return all, focus
}

// value is a field's answer, with the cursor where it is being typed.
func (s *screen) value(f commands.FormField) string {
	switch kind := kindOf(f); {
	case kind == "toggle":
		if on, _ := s.form.Value(f).(bool); on {
			return "[x]"
		}
		return "[ ]"
	case kind == "text" && f.ID == s.at && f.Type.DisabledReason == "":
		if list, _ := s.form.Value(f).([]string); len(list) > 0 {
			return s.form.InWords(f) + "  " + s.typed.drawn()
		}
		return s.typed.drawn()
	}
	return s.form.InWords(f)
}

func (s *screen) drawList(add func(of target, text, first, rest string)) {
	open := s.open
	if open.searches() {
		add(target{row: open.field.ID, entry: -1}, s.form.say("A part of its name:")+" "+open.search.drawn(), "    ", "    ")
	}
	for i, e := range open.entries {
		first, text := "      ", commands.Printable(e.Description)
		if i == open.at {
			first, text = "    > ", cursor.Styled(text)
		}
		add(target{row: open.field.ID, entry: i + 1}, text, first, "        ")
	}
	if len(open.entries) == 0 && !open.asking {
		add(target{row: open.field.ID, entry: 1}, s.form.say("Nothing is called so."), "      ", "      ")
	}
}

// foot says what can be done now.
func (s *screen) foot() (lines []drawnLine) {
	text := s.form.say("Up, Down: move   Enter, Space: change   Ctrl+S: fork   Ctrl+P: plan   Esc: leave")
	f, _ := s.form.Field(s.at)
	switch {
	case s.open != nil:
		text = s.form.say("Up, Down: move   Enter: take it   Esc: back")
	case f.Type.Kind == "list":
		text = s.form.say("Enter: add it   Backspace: drop the last   Ctrl+S: fork   Esc: leave")
	case f.Type.Multiline:
		text = s.form.say("Up, Down: move   Ctrl+J: a new line   Ctrl+S: fork   Esc: leave")
	}
	if s.note != "" {
		for _, part := range wrapped(commands.Printable(s.note), s.width) {
			lines = append(lines, drawnLine{text: part})
		}
	}
	for _, part := range wrapped(text, s.width) {
		lines = append(lines, drawnLine{text: faint.Styled(part)})
	}
	return lines
}

// drawPage is the plan, as much of it as there is room for.
func (s *screen) drawPage() (drawn []drawnLine) {
	var all []string
	for _, line := range s.page {
		all = append(all, wrapped(line, s.width)...)
	}
	room := max(s.height-1, 1)
	s.top = max(min(s.top, len(all)-room), 0)
	for _, line := range all[s.top:min(s.top+room, len(all))] {
		drawn = append(drawn, drawnLine{text: line})
	}
	return append(drawn, drawnLine{text: faint.Styled(ansi.Truncate(s.form.say("Up, Down: move   Esc: back"), s.width, "…"))})
}

// wrapped is a text in lines of at most width columns.
func wrapped(text string, width int) []string {
	return strings.Split(ansi.Wrap(text, max(width, 1), ""), "\n")
}

// lines are those of what was printed for a person.
func lines(text string) []string {
	return strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\t", "    "), "\n"), "\n")
}
