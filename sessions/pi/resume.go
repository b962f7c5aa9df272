package pi

import (
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// resumes reads pi's arguments: --session, --continue and --resume write into a session; --fork begins one of its own.
// A session may be named by a path or by the beginning of its id, which may be any.
func resumes(arguments []agent.Word) (targets []string, clear bool) {
	for i, word := range arguments {
		if !word.Known {
			return append(targets, ""), false
		}
		name, value, attached := strings.Cut(word.Text, "=")
		switch {
		case name == "--session":
			if !attached && i+1 < len(arguments) && arguments[i+1].Known {
				value = arguments[i+1].Text
			}
			if !agent.IsUUID(value) {
				value = ""
			}
			targets = append(targets, value)
		case name == "--continue", name == "--resume":
			targets = append(targets, "")
		case len(name) > 1 && name[0] == '-' && name[1] != '-' && strings.ContainsAny(name, "cr"):
			targets = append(targets, "")
		}
	}
	return targets, true
}

// resume gives `pi --session FILE`: by its file a session is found whatever the folder.
func resume(s agent.Session) (arguments []string, env map[string]*string) {
	return []string{"--session", s.Source}, pin(s)
}

// pin keeps what is started in the account of a session, and what it stores beside it.
func pin(s agent.Session) map[string]*string {
	env := map[string]*string{sessionsVar: nil}
	folder := filepath.Dir(s.Source)
	if filepath.Dir(folder) != filepath.Join(s.Home, "sessions") {
		env[sessionsVar] = &folder
	}
	if folder != s.Home { // else the home is a folder of sessions, and nobody knows whose
		env[homeVar] = agent.Pin(s)
	}
	return env
}
