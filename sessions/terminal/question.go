package terminal

import "strings"

// Words are what the screen of an agent says of why it does not go on by itself.
type Words struct {
	// Kind is trust (it asks whether the folder is trusted), login (it has no account), conversation (it does not find the
	// one that it is to take up) or question (it asks something else). "" where nothing of the kind is seen.
	Kind string
	Line string // the line that says so, as it is on the screen
}

// sayings are what the agents say, in lower case and with one blank between words (Claude Code 2.1, Codex 0.171, opencode
// 1.x and pi 0.x; and what any program may ask). The order is that of importance.
var sayings = []struct{ kind, words string }{
	{"conversation", "no conversation found"},
	{"conversation", "no saved session found"},
	{"conversation", "session not found"},
	{"conversation", "no session found"},
	{"conversation", "thread not found"},
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
	{"question", "do you want to use this api key"},
	{"question", "choose the text style"},
	{"question", "press enter to continue"},
	{"question", "[y/n]"},
	{"question", "(y/n)"},
	{"question", "(y)es/(n)o"},
	{"question", "update available! press"},
}

// Read looks for such words on a screen.
func ReadWords(shown string) Words {
	var lines []string
	for line := range strings.Lines(shown) {
		if line = strings.Join(strings.Fields(strings.Trim(line, "│┃|║ \n")), " "); line != "" {
			lines = append(lines, line)
		}
	}
	const last = 60 // a screen and a little: what was said long ago does not count
	lines = lines[max(0, len(lines)-last):]
	for _, s := range sayings {
		for i, line := range lines {
			both := line // a narrow screen breaks a sentence
			if i+1 < len(lines) {
				both += " " + lines[i+1]
			}
			if strings.Contains(strings.ToLower(line), s.words) || strings.Contains(strings.ToLower(both), s.words) {
				return Words{Kind: s.kind, Line: clean(line)}
			}
		}
	}
	return Words{}
}
