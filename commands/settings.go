package commands

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:generate go test -run TestTheDocumentOf -update .

// Settings are the user's: from their own file, over it an editor's, then the environment, then flags (settings_read.go). A
// repository sets none of them; which of them it may suggest says package setup. The zero value of each means its default.
//
// docs/settings.md is made of the comments and tags below: default, among (the only values), fills (the names in braces that
// a pattern may hold).
type Settings struct {
	Carry     CarrySettings            `json:"carry,omitzero"`
	Setup     SetupSettings            `json:"setup,omitzero"`
	Worktree  WorktreeSettings         `json:"worktree,omitzero"`
	Name      NameSettings             `json:"name,omitzero"`
	Terminals TerminalSettings         `json:"terminals,omitzero"`
	Agents    map[string]AgentSettings `json:"agents,omitempty"` // by agent: claude, codex, opencode, pi
	Log       LogSettings              `json:"log,omitzero"`
	// The program that reaches another machine (`--host`): OpenSSH's, or one that takes its arguments.
	SSH string `json:"ssh,omitempty" default:"ssh"`
	// What sidefork says is in this language. Without it that of the editor (`locale` of `initialize`) or of LC_ALL, LC_MESSAGES,
	// LANG holds; what it does not know is English: `en`, `es`, `zh-Hans`, `ja`, `ko`, `fr`.
	Language string `json:"language,omitempty" among:"en,es,zh-Hans,ja,ko,fr"`

	origins map[string]string // by name, where a setting that is set comes from; never written into
}

// SSHProgram is the program that reaches another machine.
func (s Settings) SSHProgram() string { return cmp.Or(s.SSH, "ssh") }

// CarrySettings bound what comes along.
type CarrySettings struct {
	// Untracked files that may come along.
	MaxFiles int `json:"maxFiles,omitempty" default:"20000"`
	// Bytes of uncommitted content that may come along.
	MaxBytes int64 `json:"maxBytes,omitempty" default:"1073741824"`
	// Ignored files that may come along where they are asked for.
	MaxIncludedFiles int `json:"maxIncludedFiles,omitempty" default:"200000"`
	// Bytes of those.
	MaxIncludedBytes int64 `json:"maxIncludedBytes,omitempty" default:"10737418240"`
}

// SetupSettings are about the setup that a repository brings along.
type SetupSettings struct {
	// What happens to a repository's setup that you trust, where nothing else was said: `run`, `ask` (at a terminal or in a
	// dialog; else it does not run, with a warning), `skip`. A repository can be stricter, never looser.
	Policy string `json:"policy,omitempty" default:"run" among:"run,ask,skip"`
	// Whether the agent starts after the setup, or beside it: then the fork is answered without waiting for it. On the command
	// line an agent that starts in the same terminal always waits.
	Wait *bool `json:"wait,omitempty" default:"true"`
	// Seconds that a setup may take.
	TimeLimit int `json:"timeLimit,omitempty" default:"1800"`
}

// WorktreeSettings are about a child's folder.
type WorktreeSettings struct {
	// Where a child goes: `{main}` is the main checkout, `{name}` the branch with `/` as `-`. A relative one is taken from the
	// main checkout; where something is there already, the name is numbered.
	Pattern string `json:"pattern,omitempty" default:"{main}-worktrees/{name}" fills:"main,name"`
}

// NameSettings are about a child's branch.
type NameSettings struct {
	// What a fork is called where nobody says it: `{workspace}` is the folder of its parent, `{branch}` the parent's branch. It is made a
	// branch name and numbered when taken. A repository may suggest another one where you have set none.
	Pattern string `json:"pattern,omitempty" default:"{workspace}-fork" fills:"workspace,branch"`
}

// AgentSettings are the user's settings for one agent.
type AgentSettings struct {
	// The agent's program: an absolute path; without one, what PATH has by the agent's name.
	Program string `json:"program,omitempty"`
	// Account folders beside the default one and the one that CLAUDE_CONFIG_DIR, CODEX_HOME, XDG_DATA_HOME (opencode: the folder
	// `opencode` in it) or PI_CODING_AGENT_DIR names.
	Homes []string `json:"homes,omitempty"`
	// Arguments for every launch of the agent, between the program and the fork. One that would make the launch take up a running
	// session is refused.
	Arguments []string `json:"arguments,omitempty"`
}

// TerminalSettings are about what `sidefork run` keeps of a terminal, and what a fork is given of that.
type TerminalSettings struct {
	// Bytes of what an agent's terminal showed that are kept: the last ones.
	MaxBytes int `json:"maxBytes,omitempty" default:"1048576"`
	// Bytes of that which a fork is given as a draft: the last ones, with a mark where they were cut off.
	MaxDraft int `json:"maxDraft,omitempty" default:"65536"`
	// Days after which what an agent's terminal showed is deleted, counted from when it last drew something.
	KeepDays int `json:"keepDays,omitempty" default:"30"`
}

// LogSettings are about the log files.
type LogSettings struct {
	// What goes into the log file.
	Level string `json:"level,omitempty" default:"info" among:"debug,info,warn,error"`
}

// SettingsFile is where the user's own settings are.
func SettingsFile(getenv func(string) string) string {
	folder := getenv("XDG_CONFIG_HOME")
	if folder == "" {
		folder = filepath.Join(getenv("HOME"), ".config")
	}
	return filepath.Join(folder, "sidefork", "settings.json")
}

// UserSettings reads the user's own settings file; a missing one gives the defaults.
func UserSettings(getenv func(string) string) (Settings, []Warning, error) {
	path := SettingsFile(getenv)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Settings{}, nil, nil
	}
	var settings Settings
	var warnings []Warning
	switch {
	case err != nil:
	case !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")): // an editor may send nothing or [], a file has to say something
		err = errors.New("it holds no JSON object")
	default:
		settings, warnings, err = settings.Merge(path, raw)
	}
	if err != nil {
		return Settings{}, nil, settingsBroken(path, err)
	}
	return settings, warnings, nil
}

const flagOrigin = "--set"

// Overrides are settings that are laid over all others: of the environment, and over it those of flags, NAME=VALUE. They are
// a function, since an editor's settings come between them and the user's file.
func Overrides(getenv func(string) string, flags []string) (over func(Settings) Settings, err error) {
	type setting struct{ origin, name, text string }
	var list []setting
	for _, name := range settingNames() {
		if variable := settingVariable(name); getenv(variable) != "" {
			list = append(list, setting{variable, name, getenv(variable)})
		}
	}
	for _, flag := range flags {
		name, text, found := strings.Cut(flag, "=")
		if !found {
			return nil, refuse("invalidArgument", "what", "--set wants NAME=VALUE, not "+flag)
		}
		list = append(list, setting{flagOrigin, name, text})
	}
	lay := func(s Settings) (Settings, error) {
		for _, one := range list {
			next, err := s.set(one.origin, one.name, one.text)
			switch {
			case err != nil && one.origin == flagOrigin:
				return s, err
			case err != nil:
				return s, settingsBroken(one.origin, err)
			}
			s = next
		}
		return s, nil
	}
	if _, err := lay(Settings{}); err != nil {
		return nil, err
	}
	return func(s Settings) Settings {
		s, _ = lay(s) // what can be laid over nothing can be laid over anything
		return s
	}, nil
}

func settingsBroken(path string, err error) *Failure {
	what := strings.TrimSuffix(strings.TrimPrefix(err.Error(), "The argument is wrong: settings: "), ".")
	return refuse("settingsBroken", "path", path, "what", what)
}
