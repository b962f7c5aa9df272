package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/sidefork/sidefork/commands"
)

// press takes in one key.
func (s *screen) press(k tea.KeyPressMsg) tea.Cmd {
	switch word := k.String(); {
	case word == "ctrl+c":
		return tea.Quit
	case word == "ctrl+z":
		return tea.Suspend
	case word == "ctrl+l":
		return tea.ClearScreen
	case s.page != nil:
		return s.pressOnPage(word)
	case word == "ctrl+s":
		s.open = nil
		return s.fork()
	case s.open != nil:
		return s.pressInList(k)
	case word == "esc":
		return tea.Quit
	case word == "ctrl+p":
		return s.plan()
	case word == "up", word == "shift+tab":
		return s.move(-1)
	case word == "down", word == "tab":
		return s.move(1)
	case word == "pgdown":
		return s.goTo(forkRow)
	case word == "pgup":
		return s.goTo(s.rows()[0])
	}
	f, isField := s.form.Field(s.at)
	if !isField {
		if word := k.String(); word == "enter" || word == "space" {
			return s.push(s.at)
		}
		return nil
	}
	if f.Type.DisabledReason != "" {
		return s.pressOnOther(k.String(), f)
	}
	if kindOf(f) == "text" {
		return s.pressInText(k, f)
	}
	return s.pressOnOther(k.String(), f)
}

// push does what a row that is no field is for.
func (s *screen) push(row string) tea.Cmd {
	switch row {
	case moreRow:
		s.form.More = !s.form.More
		return nil
	case forkRow:
		return s.fork()
	case planRow:
		return s.plan()
	}
	return tea.Quit
}

func (s *screen) pressInText(k tea.KeyPressMsg, f commands.FormField) tea.Cmd {
	list, _ := s.form.Value(f).([]string)
	switch word := k.String(); {
	case word == "enter" && f.Type.Kind == "list" && s.typed.String() != "":
		s.add()
		return s.resolve(false)
	case word == "enter":
		return s.move(1)
	case word == "backspace" && len(s.typed.text) == 0 && len(list) > 0:
		s.form.Set(f.ID, slices.Clone(list[:len(list)-1]))
		return s.resolve(false)
	}
	if changed, _ := s.typed.press(k); changed {
		s.say(f)
	}
	return nil
}

// pressOnOther is a key on a field that is no text.
func (s *screen) pressOnOther(word string, f commands.FormField) tea.Cmd {
	switch word {
	case "enter", "space":
		return s.pick(f)
	case "left", "right":
		if f.Type.DisabledReason != "" || f.Type.Kind != "enum" {
			break
		}
		value := s.form.Value(f)
		at := slices.IndexFunc(f.Type.Entries, func(e commands.FormEntry) bool { return e.Value == value })
		if word == "left" {
			at -= 2
		}
		if at++; at >= 0 && at < len(f.Type.Entries) {
			s.form.Set(f.ID, f.Type.Entries[at].Value)
			return s.resolve(false)
		}
	}
	return nil
}

// pick toggles a field, or opens its list. One that is disabled says why beneath it anyway.
func (s *screen) pick(f commands.FormField) tea.Cmd {
	switch {
	case f.Type.DisabledReason != "" && kindOf(f) == "text":
		return s.move(1)
	case f.Type.DisabledReason != "":
		return nil
	case kindOf(f) == "toggle":
		on, _ := s.form.Value(f).(bool)
		s.form.Set(f.ID, !on)
		return s.resolve(false)
	case kindOf(f) == "list":
		return s.openList(f)
	}
	return nil
}

func (s *screen) paste(text string) tea.Cmd {
	if s.open != nil && s.open.searches() {
		s.open.search.insert(text)
		return s.look()
	}
	if f, there := s.form.Field(s.at); there && s.open == nil && s.page == nil && kindOf(f) == "text" && f.Type.DisabledReason == "" {
		s.typed.insert(text)
		s.say(f)
	}
	return nil
}

// pressOnPage is a key while the plan is shown.
func (s *screen) pressOnPage(word string) tea.Cmd {
	switch word {
	case "up", "k":
		s.top--
	case "down", "j":
		s.top++
	case "pgup":
		s.top -= s.height - 2
	case "pgdown", "space":
		s.top += s.height - 2
	case "esc", "q", "enter":
		s.page = nil
	}
	return nil
}

func (s *screen) wheel(button tea.MouseButton) {
	by := 0
	switch button {
	case tea.MouseWheelUp:
		by = -1
	case tea.MouseWheelDown:
		by = 1
	}
	switch {
	case s.page != nil:
		s.top += 3 * by
	case s.open != nil:
		s.open.at = min(max(s.open.at+by, 0), max(len(s.open.entries)-1, 0))
	default:
		s.top, s.wheeled = s.top+by, true
	}
}

// click does what the row at this line of the screen is for.
func (s *screen) click(y int) tea.Cmd {
	if s.page != nil {
		return nil
	}
	drawn := s.draw()
	if y < 0 || y >= len(drawn) {
		return nil
	}
	switch t := drawn[y].of; {
	case t.row == "":
		return nil
	case s.open != nil && t.row == s.open.field.ID && t.entry > 0:
		return s.take(t.entry - 1)
	default:
		moved := s.goTo(t.row)
		f, isField := s.form.Field(t.row)
		if !isField {
			return tea.Batch(moved, s.push(t.row))
		}
		return tea.Batch(moved, s.pick(f))
	}
}
