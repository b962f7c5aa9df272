package setup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// format is one of the files in which a repository says its setup.
type format struct {
	file  string
	parse func([]byte) (said, error)
}

// said is what a file says.
type said struct {
	commands  []string
	teardown  []string
	script    string // a file beside .cursor/worktrees.json, or else a command
	terminals []Terminal
	policy    string
	suggested Suggested
	ignored   []string
}

func formats() []format {
	return []format{{ownFile, ours}, {"orca.yaml", orca}, {cursorFile, cursor}, {"conductor.json", conductor}}
}

const ownFile = ".sidefork.json"

const cursorFile = ".cursor/worktrees.json"

// list is one command or several.
type list []string

// UnmarshalJSON takes a string or an array of strings.
func (l *list) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		if one != "" {
			*l = list{one}
		}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(l))
}

// ours reads .sidefork.json: setup, teardown, policy, terminals, include, name. Whatever else it says
// is not a repository's to set.
func ours(text []byte) (s said, err error) {
	var named map[string]json.RawMessage
	if err := json.Unmarshal(text, &named); err != nil {
		return s, err
	}
	for name, raw := range named {
		switch name {
		case "setup":
			err = errors.Join(err, json.Unmarshal(raw, (*list)(&s.commands)))
		case "policy":
			err = errors.Join(err, json.Unmarshal(raw, &s.policy))
		case "terminals":
			err = errors.Join(err, json.Unmarshal(raw, &s.terminals))
		case "teardown":
			err = errors.Join(err, json.Unmarshal(raw, (*list)(&s.teardown)))
		case "include":
			err = errors.Join(err, json.Unmarshal(raw, (*list)(&s.suggested.Include)))
		case "name":
			err = errors.Join(err, json.Unmarshal(raw, &s.suggested.Name))
		default:
			s.ignored = append(s.ignored, name)
		}
	}
	slices.Sort(s.ignored)
	return s, errors.Join(err, checkPolicy(s.policy), s.suggested.check())
}

func checkPolicy(policy string) error {
	if !slices.Contains([]string{"", "run", "ask", "skip"}, policy) {
		return fmt.Errorf("policy is none of run, ask, skip")
	}
	return nil
}

// orca reads orca.yaml: scripts.setup and scripts.archive, each one script, and defaultTabs. Its policy is in Orca's own settings; one that stands
// in the file (setupRunPolicy: ask, skip-by-default, run-by-default) is followed.
func orca(text []byte) (s said, err error) {
	var file struct {
		Scripts struct {
			Setup   string `yaml:"setup"`
			Archive string `yaml:"archive"`
		} `yaml:"scripts"`
		Policy string `yaml:"setupRunPolicy"`
		Tabs   []struct {
			Title   string `yaml:"title"`
			Command string `yaml:"command"`
		} `yaml:"defaultTabs"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return s, err
	}
	if file.Scripts.Setup != "" {
		s.commands = []string{file.Scripts.Setup}
	}
	if file.Scripts.Archive != "" {
		s.teardown = []string{file.Scripts.Archive}
	}
	for _, tab := range file.Tabs {
		s.terminals = append(s.terminals, Terminal(tab))
	}
	s.policy = strings.TrimSuffix(file.Policy, "-by-default")
	return s, checkPolicy(s.policy)
}

// cursor reads .cursor/worktrees.json: the commands of this system, else those of every system, or the name of a script
// that lies beside the file.
func cursor(text []byte) (s said, err error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal(text, &file); err != nil {
		return s, err
	}
	system := "setup-worktree-unix"
	if runtime.GOOS == "windows" {
		system = "setup-worktree-windows"
	}
	raw, there := file[system]
	if !there {
		raw = file["setup-worktree"]
	}
	if len(raw) == 0 {
		return s, nil
	}
	if bytes.HasPrefix(raw, []byte(`"`)) {
		return s, json.Unmarshal(raw, &s.script)
	}
	return s, json.Unmarshal(raw, &s.commands)
}

// conductor reads conductor.json: scripts.setup and scripts.archive.
func conductor(text []byte) (s said, err error) {
	var file struct {
		Scripts struct {
			Setup   list `json:"setup"`
			Archive list `json:"archive"`
		} `json:"scripts"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return s, err
	}
	return said{commands: file.Scripts.Setup, teardown: file.Scripts.Archive}, nil
}

var plainPath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)

// scriptOrCommand gives the command that runs a script of Cursor's, or what is no script as it is.
func scriptOrCommand(ctx context.Context, v View, word string) ([]string, error) {
	word = strings.TrimPrefix(word, "./")
	if !plainPath.MatchString(word) {
		return []string{word}, nil
	}
	at := inside(".cursor", word)
	kinds, err := v.kinds(ctx, []string{at})
	if _, there := kinds[at]; err != nil || at == "" || !there {
		return []string{word}, err
	}
	switch {
	case runtime.GOOS != "windows":
		return []string{"bash " + at}, nil
	case strings.HasSuffix(at, ".ps1"):
		return []string{"powershell -NoProfile -ExecutionPolicy Bypass -File " + at}, nil
	}
	return []string{strings.ReplaceAll(at, "/", `\`)}, nil
}
