package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/sidefork/sidefork/commands"
)

// choice is the list of a field, while it is open.
type choice struct {
	field   commands.FormField
	entries []commands.FormEntry
	at      int
	search  input // of a lazyEnum: a part of the name that is looked for
	asking  bool  // an answer is to come, and what was typed since is asked for then
	again   bool
}

// listed is what a search found.
type listed struct {
	field   string
	entries []commands.FormEntry
	failed  *commands.Failure
}

func (f *choice) searches() bool { return f.field.Type.Kind == "lazyEnum" }

// openList opens the list of a field.
func (s *screen) openList(f commands.FormField) tea.Cmd {
	s.open = &choice{field: f, entries: f.Type.Entries}
	value := s.form.Value(f)
	s.open.at = max(slices.IndexFunc(s.open.entries, func(e commands.FormEntry) bool { return e.Value == value }), 0)
	if s.open.searches() {
		return s.look()
	}
	return nil
}

// look asks for what the search of the open list finds.
func (s *screen) look() tea.Cmd {
	open := s.open
	if open.asking {
		open.again = true
		return nil
	}
	open.asking = true
	field, query, ctx, list := open.field, open.search.String(), s.ctx, s.ask.List
	return func() tea.Msg {
		entries, failed := list(ctx, field, query)
		return listed{field.ID, entries, failed}
	}
}

func (s *screen) found(m listed) tea.Cmd {
	open := s.open
	if open == nil || open.field.ID != m.field {
		return nil // closed meanwhile
	}
	open.asking = false
	if m.failed != nil {
		s.note = m.failed.In(s.form.in).Reason.Message
	} else {
		open.entries, open.at = m.entries, min(open.at, max(len(m.entries)-1, 0))
	}
	if open.again {
		open.again = false
		return s.look()
	}
	return nil
}

func (s *screen) pressInList(k tea.KeyPressMsg) tea.Cmd {
	open := s.open
	switch word := k.String(); word {
	case "esc":
		s.open = nil
	case "up", "shift+tab", "ctrl+p":
		open.at = max(open.at-1, 0)
	case "down", "tab", "ctrl+n":
		open.at = min(open.at+1, max(len(open.entries)-1, 0))
	case "home", "pgup":
		open.at = 0
	case "end", "pgdown":
		open.at = max(len(open.entries)-1, 0)
	case "enter":
		return s.take(open.at)
	default:
		if open.searches() {
			if changed, _ := open.search.press(k); changed {
				open.at = 0
				return s.look()
			}
			return nil
		}
		if word == "space" {
			return s.take(open.at)
		}
	}
	return nil
}

// take closes the list with one of its entries chosen.
func (s *screen) take(entry int) tea.Cmd {
	open := s.open
	if entry >= len(open.entries) || open.asking && open.search.String() != "" {
		return nil // what is drawn is of an earlier search
	}
	s.open = nil
	if e := open.entries[entry]; e.Value != s.form.Value(open.field) {
		s.form.Set(open.field.ID, e.Value)
		s.form.called(open.field.ID, e)
		return s.resolve(false)
	}
	return nil
}
