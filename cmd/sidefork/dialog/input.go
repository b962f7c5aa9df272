package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/sidefork/sidefork/commands"
)

// input is a text that is being typed.
type input struct {
	text   []rune
	at     int  // where the next one goes
	digits bool // takes nothing else
	lines  bool // may hold line breaks, by Ctrl+J or pasted
}

func typing(text string) input { return input{text: []rune(text), at: len([]rune(text))} }

func (i *input) String() string { return string(i.text) }

func (i *input) insert(text string) {
	if !i.lines {
		text = commands.Printable(text)
	}
	for _, r := range strings.ReplaceAll(text, "\r", "\n") {
		if r != '\n' && commands.Printable(string(r)) == "" || i.digits && (r < '0' || r > '9') {
			continue
		}
		i.text = slices.Insert(i.text, i.at, r)
		i.at++
	}
}

// press takes in one key; false: it is none of a text's.
func (i *input) press(k tea.KeyPressMsg) (changed, taken bool) {
	before := string(i.text)
	switch k.String() {
	case "left", "ctrl+b":
		i.at = max(i.at-1, 0)
	case "right", "ctrl+f":
		i.at = min(i.at+1, len(i.text))
	case "home", "ctrl+a":
		i.at = 0
	case "end", "ctrl+e":
		i.at = len(i.text)
	case "backspace", "ctrl+h":
		if i.at > 0 {
			i.at--
			i.text = slices.Delete(i.text, i.at, i.at+1)
		}
	case "delete", "ctrl+d":
		if i.at < len(i.text) {
			i.text = slices.Delete(i.text, i.at, i.at+1)
		}
	case "ctrl+u":
		i.text, i.at = i.text[i.at:], 0
	case "ctrl+k":
		i.text = i.text[:i.at]
	case "ctrl+w", "alt+backspace":
		from := i.at
		for from > 0 && i.text[from-1] == ' ' {
			from--
		}
		for from > 0 && i.text[from-1] != ' ' {
			from--
		}
		i.text, i.at = slices.Delete(i.text, from, i.at), from
	case "ctrl+j":
		if !i.lines {
			return false, false
		}
		i.insert("\n")
	default:
		if k.Text == "" || k.Mod&(tea.ModCtrl|tea.ModAlt) != 0 {
			return false, false
		}
		i.insert(k.Text)
	}
	return string(i.text) != before, true
}

// drawn is the text with its cursor, in one line.
func (i *input) drawn() string {
	shown := func(part []rune) string { return commands.Printable(strings.ReplaceAll(string(part), "\n", "⏎")) }
	under, rest := " ", ""
	if i.at < len(i.text) {
		under, rest = shown(i.text[i.at:i.at+1]), shown(i.text[i.at+1:])
	}
	return shown(i.text[:i.at]) + cursor.Styled(under) + rest
}
