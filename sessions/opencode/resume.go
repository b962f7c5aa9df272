package opencode

import (
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// resumes reads opencode's arguments: --session and --continue write into a session, unless --fork stands beside them.
// A short option in a word of several counts without its value, for any session.
func resumes(arguments []agent.Word) (targets []string, clear bool) {
	forked := false
	var words []string
	for i, word := range arguments {
		if !word.Known {
			return append(targets, ""), false
		}
		name, value, attached := strings.Cut(word.Text, "=")
		next := ""
		if i+1 < len(arguments) && arguments[i+1].Known {
			next = arguments[i+1].Text
		}
		switch {
		case name == "--fork":
			forked = !attached || value == "true"
		case name == "--no-fork":
			forked = false
		case name == "--continue":
			targets = append(targets, "")
		case name == "--session", name == "-s":
			if !attached {
				value = next
			}
			targets = append(targets, value)
		case len(name) > 1 && name[0] == '-' && name[1] != '-' && strings.ContainsAny(name, "cs"):
			targets = append(targets, "")
		case !strings.HasPrefix(name, "-"):
			words = append(words, name)
		}
	}
	if slices.Contains(words, "delete") || slices.Contains(words, "import") {
		return append(targets, ""), true // they change what is stored
	}
	if forked {
		return nil, true
	}
	return targets, true
}

// resume gives `opencode --session ID`.
func resume(s agent.Session) (arguments []string, env map[string]*string) {
	return []string{"--session", s.ID.ID}, pin(s)
}
