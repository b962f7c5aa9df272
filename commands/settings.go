package commands

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Settings are the user's, from $XDG_CONFIG_HOME/sidefork/settings.json and, over it, the editor's (section `sidefork`).
// A repository cannot set any of them. The zero value of each means its default.
type Settings struct {
	Carry struct {
		MaxFiles int   `json:"maxFiles,omitempty"` // untracked files, default 20,000
		MaxBytes int64 `json:"maxBytes,omitempty"` // bytes, default 1 GiB

		MaxIncludedFiles int   `json:"maxIncludedFiles,omitempty"` // ignored files that are asked for, default 200,000
		MaxIncludedBytes int64 `json:"maxIncludedBytes,omitempty"` // their bytes, default 10 GiB
	} `json:"carry,omitzero"`
	Setup struct {
		Policy    string `json:"policy,omitempty"`    // of what is trusted: run (default), ask, skip; a repository's may be stricter
		TimeLimit int    `json:"timeLimit,omitempty"` // seconds that a setup may take, default 1,800
	} `json:"setup,omitzero"`
	Worktree struct {
		// Pattern is where a child goes: {main} is the main checkout's path, {name} the branch with / as -.
		Pattern string `json:"pattern,omitempty"` // default "{main}-worktrees/{name}"
	} `json:"worktree,omitzero"`
	Agents map[string]AgentSettings `json:"agents,omitempty"` // by agent: claude, codex, opencode, pi
	Log    struct {
		Level string `json:"level,omitempty"` // debug, info (default), warn, error
	} `json:"log,omitzero"`
}

// AgentSettings are the user's settings for one agent.
type AgentSettings struct {
	Program string   `json:"program,omitempty"` // absolute path, or a name on PATH
	Homes   []string `json:"homes,omitempty"`   // further account folders (as CLAUDE_CONFIG_DIR names one)
}

// Merge lays the settings that raw names over s and gives those of its names that are not known, as warnings: an old
// sidecar must live with a newer editor's settings. raw may be null, [] (an empty Lua table) or absent.
func (s Settings) Merge(raw json.RawMessage) (Settings, []Warning, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) || bytes.Equal(raw, []byte("[]")) {
		return s, nil, nil
	}
	merged := s
	merged.Agents = maps.Clone(s.Agents) // decoding writes into the map that it finds
	if err := json.Unmarshal(raw, &merged); err != nil {
		return s, nil, refuse("invalidArgument", "what", "settings: "+err.Error())
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(raw, &named); err != nil {
		return s, nil, refuse("invalidArgument", "what", "settings: "+err.Error())
	}
	c := merged.Carry
	if min(int64(c.MaxFiles), c.MaxBytes, int64(c.MaxIncludedFiles), c.MaxIncludedBytes) < 0 {
		return s, nil, refuse("invalidArgument", "what", "settings: a limit of carry is negative")
	}
	if merged.Setup.TimeLimit < 0 {
		return s, nil, refuse("invalidArgument", "what", "settings: setup.timeLimit is negative")
	}
	if !slices.Contains([]string{"", "run", "ask", "skip"}, merged.Setup.Policy) {
		return s, nil, refuse("invalidArgument", "what", "settings: setup.policy is none of run, ask, skip")
	}
	return merged, ignored(named), nil
}

// known are the settings, by section; of a section without names any is the section's own affair.
var known = map[string][]string{
	"carry":    {"maxFiles", "maxBytes", "maxIncludedFiles", "maxIncludedBytes"},
	"setup":    {"policy", "timeLimit"},
	"worktree": {"pattern"},
	"log":      {"level"},
	"agents":   nil, "path": nil, "trace": nil,
}

// ignored warns of each name that is not known.
func ignored(named map[string]json.RawMessage) []Warning {
	var names []string
	for section, raw := range named {
		inside, there := known[section]
		if !there {
			names = append(names, section)
		}
		var fields map[string]json.RawMessage
		if inside == nil || json.Unmarshal(raw, &fields) != nil {
			continue
		}
		for field := range fields {
			if !slices.ContainsFunc(inside, func(name string) bool { return strings.EqualFold(name, field) }) {
				names = append(names, section+"."+field)
			}
		}
	}
	slices.Sort(names)
	var warnings []Warning
	for _, name := range names {
		warnings = append(warnings, warning("settingIgnored", "", "name", name))
	}
	return warnings
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
	raw, err := os.ReadFile(SettingsFile(getenv))
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
		settings, warnings, err = settings.Merge(raw)
	}
	if err != nil {
		return Settings{}, nil, refuse("settingsBroken", "path", SettingsFile(getenv), "what", strings.TrimSuffix(strings.TrimPrefix(err.Error(), "The argument is wrong: settings: "), "."))
	}
	return settings, warnings, nil
}
