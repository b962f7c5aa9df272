package terminal

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Words are what the screen of an agent says of why it does not go on by itself.
type Words struct {
	// Kind is trust (it asks whether the folder is trusted), login (it has no account), conversation (it does not find the
	// one that it is to take up) or question (it asks something else). "" where nothing of the kind is seen.
	Kind string
	Line string // the line that says so, as it is on the screen; both, where a narrow one breaks it
}

type saying struct{ kind, words string }

// sayings are what the agents say, in lower case and with one blank between words (Claude Code 2.1, Codex 0.171, opencode
// 1.x and pi 0.x; and what any program may ask). The order is that of importance.
var sayings = []saying{
	{"conversation", "no conversation found"},
	{"conversation", "no saved session found"},
	{"conversation", "session not found"},
	{"conversation", "no session found"},
	{"conversation", "thread not found"},
	{"conversation", "missing source rollout"},
	{"trust", "do you trust the files in this folder"},
	{"trust", "do you trust the contents of this directory"},
	{"trust", "is this a project you created or one you trust"},
	{"trust", "yes, i trust this folder"},
	{"trust", "yes, proceed"},
	{"trust", "trust this folder"},
	{"trust", "trust project folder"},
	{"login", "not logged in"},
	{"login", "select login method"},
	{"login", "please run /login"},
	{"login", "sign in with chatgpt"},
	{"login", "invalid api key"},
	{"login", "missing api key"},
	{"login", "no api key"},
	{"login", "no models available"},
	{"login", "missing environment variable"},
	{"question", "do you want to use this api key"},
	{"question", "choose the text style"},
	{"question", "press enter to continue"},
	{"question", "[y/n]"},
	{"question", "(y/n)"},
	{"question", "(y)es/(n)o"},
	{"question", "update available! press"},
}

// ReadWords looks for such words on a screen.
func ReadWords(shown string) Words {
	lines := textOf(shown)
	for _, s := range sayings {
		before := "" // the end of a sentence is not looked for where all of it stands on one line
		for _, line := range lines {
			switch both := before + " " + line; {
			case saysSo(line, s.words):
				return Words{Kind: s.kind, Line: oneLine(line)}
			case !saysSo(before, s.words) && saysSo(both, s.words):
				return Words{Kind: s.kind, Line: oneLine(both)}
			}
			before = line
		}
	}
	return Words{}
}

// WordsOfAnswer looks for what an agent says of its account instead of an answer to a prompt: behind the prompt, since the
// earlier conversation, which stands before it, may say anything.
func WordsOfAnswer(shown, prompt string) Words {
	const enough = 40 // runes: a longer one may be broken
	asked, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	runes := []rune(unmarked(strings.Join(strings.Fields(asked), " ")))
	asked = string(runes[:min(len(runes), enough)])
	found, after := Words{}, false
	for _, line := range textOf(shown) {
		said := unmarked(line)
		if asked != "" && strings.HasPrefix(said, asked) {
			found, after = Words{}, true
			continue
		}
		said = strings.ToLower(said)
		if after && found.Kind == "" && slices.ContainsFunc(sayings, func(s saying) bool { return s.kind == "login" && strings.HasPrefix(said, s.words) }) {
			found = Words{Kind: "login", Line: oneLine(line)}
		}
	}
	return found
}

// LastWords is what a program that has ended says of it, on a terminal of so many columns: a sentence that is known, else
// the last line that calls itself an error, else the last line.
func LastWords(shown string, columns int) string {
	shown = unwrapped(shown, columns)
	if words := ReadWords(shown); words.Kind != "" {
		return words.Line
	}
	lines := textOf(shown)
	last := len(lines) - 1
	for i := last; i >= 0; i-- {
		if strings.HasPrefix(strings.ToLower(lines[i]), "error") {
			last = i
			break
		}
	}
	if last < 0 {
		return ""
	}
	return oneLine(lines[last])
}

// unwrapped joins the lines that a terminal of so many columns has broken.
func unwrapped(shown string, columns int) string {
	var b strings.Builder
	for line := range strings.Lines(shown) {
		if text := strings.TrimRight(line, "\n"); columns > 0 && ansi.StringWidth(text) >= columns {
			line = text
		}
		b.WriteString(line)
	}
	return b.String()
}

// textOf are the last lines of a screen, without frames and with one blank between words.
func textOf(shown string) (lines []string) {
	for line := range strings.Lines(shown) {
		if line = strings.Join(strings.Fields(strings.Trim(line, "│┃|║ \n")), " "); line != "" {
			lines = append(lines, line)
		}
	}
	const last = 60 // a screen and a little: what was said long ago does not count
	return lines[max(0, len(lines)-last):]
}

// unmarked is a line without what stands before its words.
func unmarked(line string) string {
	return strings.TrimLeftFunc(line, func(r rune) bool { return !unicode.IsLetter(r) })
}

func saysSo(line, words string) bool { return strings.Contains(strings.ToLower(line), words) }
