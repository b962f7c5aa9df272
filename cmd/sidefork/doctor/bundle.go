package doctor

import (
	"encoding/json"
	"os"
	"runtime"
	"strings"

	"github.com/sidefork/sidefork/commands"
)

// Bundle is what goes into a report of a mistake. It is made of what is let in, not of what is kept out: words that are
// sidefork's own, numbers, versions, and the places of programs with the user's name taken out of them. No prompt, title, name of a
// branch, session or repository, no path of a workspace, and no value of a setting or variable that is a text.
type bundle struct {
	Note     string          `json:"note"`
	Build    any             `json:"build"`
	System   string          `json:"system"`
	Git      Git             `json:"git"`
	Agents   []agentBundled  `json:"agents"`
	Editors  []Program       `json:"editors"`
	Settings []settingHeld   `json:"settings"` // those that are not as they come
	Checks   []checkBundled  `json:"checks"`
	Terminal map[string]bool `json:"terminal"` // which of these variables are set
}

type agentBundled struct {
	Agent    string `json:"agent"`
	Program  string `json:"program,omitempty"`
	Version  string `json:"version,omitempty"`
	Problem  string `json:"problem,omitempty"`
	Homes    int    `json:"homes"`
	Missing  int    `json:"missing"`
	Sessions int    `json:"sessions"`
	Broken   int    `json:"broken"`
}

type settingHeld struct {
	Name   string `json:"name"`
	Value  any    `json:"value"` // of a text or list only that there is one
	Origin string `json:"origin"`
}

type checkBundled struct {
	About string `json:"about"`
	State State  `json:"state"`
	Code  string `json:"code,omitempty"`
	More  int    `json:"more,omitempty"` // how many lines there are beneath it
}

// telling are the variables that say what kind of terminal this is; their values are not told.
var telling = []string{"TMUX", "STY", "SSH_CONNECTION", "ZED_TERM", "NVIM", "VSCODE_IPC_HOOK_CLI", "WSL_DISTRO_NAME", "NO_COLOR", "ACCESSIBLE", "CI"}

// Bundle is the bundle as text.
func (e Examination) Bundle(getenv func(string) string) ([]byte, error) {
	b := bundle{
		Note:  "sidefork doctor --bundle: no prompts, titles, names or texts of settings are in here. Read it before you send it.",
		Build: e.Build, System: runtime.GOOS + "/" + runtime.GOARCH, Git: e.Git, Editors: []Program{}, Settings: []settingHeld{}, Terminal: map[string]bool{},
	}
	for _, a := range e.Agents {
		b.Agents = append(b.Agents, agentBundled{a.Agent, anonymous(a.Program, getenv), a.Version, a.Problem, len(a.Homes), len(a.Missing), a.Sessions, len(a.Broken)})
	}
	for _, p := range e.Editors {
		b.Editors = append(b.Editors, Program{p.Name, anonymous(p.Path, getenv)})
	}
	for _, s := range e.Settings.Values {
		if s.Origin != "" {
			b.Settings = append(b.Settings, settingHeld{s.Name, harmless(s.Value), origin(s.Origin)})
		}
	}
	for _, c := range e.Checks {
		b.Checks = append(b.Checks, checkBundled{c.About, c.State, c.Code, len(c.More)})
	}
	for _, name := range telling {
		b.Terminal[name] = getenv(name) != ""
	}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// harmless is a setting's value where it is a number or yes or no; a text may be anything.
func harmless(value any) any {
	switch v := value.(type) {
	case nil, bool, int, int64, float64:
		return v
	case string:
		for _, word := range []string{"run", "ask", "skip"} {
			if v == word {
				return v
			}
		}
	}
	return "(a text)"
}

// origin is the kind of place that a setting comes from: a file's own path is nobody's business.
func origin(word string) string {
	if strings.ContainsAny(word, `/\`) {
		return "a file"
	}
	return word
}

// anonymous is a program's path without the user's name: the home is ~, and a folder of that name elsewhere is USER.
func anonymous(path string, getenv func(string) string) string {
	home := getenv("HOME")
	if runtime.GOOS == "windows" {
		home = getenv("USERPROFILE")
	}
	if below, inside := strings.CutPrefix(path, home); inside && home != "" && (below == "" || os.IsPathSeparator(below[0])) {
		path = "~" + below
	}
	names := []string{getenv("USER"), getenv("LOGNAME"), getenv("USERNAME")}
	if i := strings.LastIndexAny(home, `/\`); i >= 0 {
		names = append(names, home[i+1:])
	}
	separators := func(r rune) bool { return r == '/' || r == '\\' }
	for _, name := range names {
		for part := range strings.FieldsFuncSeq(path, separators) {
			if name != "" && part == name {
				path = strings.ReplaceAll(path, part, "USER")
			}
		}
	}
	return commands.Printable(path)
}

// inJSON is a setting's value in one line.
func inJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(raw)
}
