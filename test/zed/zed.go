// Package zed reads task files as the editor Zed does, by its documents (https://zed.dev/docs/tasks): which fields and words
// there are, how variables are put in, and which task is offered at all. It is stricter than Zed, which passes over what it
// does not know. Zed itself is nowhere run.
package zed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Task is one of a tasks.json.
type Task struct {
	Label               string            `json:"label"`
	Command             string            `json:"command"`
	Args                []string          `json:"args"`
	Env                 map[string]string `json:"env"`
	Cwd                 string            `json:"cwd"`
	UseNewTerminal      bool              `json:"use_new_terminal"`
	AllowConcurrentRuns bool              `json:"allow_concurrent_runs"`
	Reveal              string            `json:"reveal"`
	RevealTarget        string            `json:"reveal_target"`
	Hide                string            `json:"hide"`
	Shell               any               `json:"shell"`
	ShowSummary         bool              `json:"show_summary"`
	ShowCommand         bool              `json:"show_command"`
	Save                string            `json:"save"`
	Tags                []string          `json:"tags"`
	Hooks               []string          `json:"hooks"`
}

// Binding is one context of a keymap.json.
type Binding struct {
	Context  string         `json:"context"`
	Bindings map[string]any `json:"bindings"`
}

// words are those that a field may have; "" where it is left out.
var words = map[string][]string{
	"reveal": {"", "always", "no_focus", "never"}, "reveal_target": {"", "dock", "center"},
	"hide": {"", "never", "always", "on_success"}, "save": {"", "none", "current", "all"},
}

// variables are those that Zed sets.
var variables = []string{
	"ZED_COLUMN", "ZED_ROW", "ZED_FILE", "ZED_FILENAME", "ZED_DIRNAME", "ZED_RELATIVE_FILE", "ZED_RELATIVE_DIR", "ZED_STEM",
	"ZED_SYMBOL", "ZED_SELECTED_TEXT", "ZED_LANGUAGE", "ZED_WORKTREE_ROOT", "ZED_MAIN_GIT_WORKTREE",
}

// Tasks reads a tasks.json. What is not documented there is an error.
func Tasks(path string) (tasks []Task, err error) {
	if err := strictly(path, &tasks); err != nil {
		return nil, err
	}
	for _, t := range tasks {
		for field, word := range map[string]string{"reveal": t.Reveal, "reveal_target": t.RevealTarget, "hide": t.Hide, "save": t.Save} {
			if !slices.Contains(words[field], word) {
				return nil, fmt.Errorf("%s: %s: %s is %q", path, t.Label, field, word)
			}
		}
		if strings.TrimSpace(t.Label) == "" || strings.TrimSpace(t.Command) == "" {
			return nil, fmt.Errorf("%s: a task without a label or a command is never offered", path)
		}
	}
	return tasks, nil
}

// Keys reads a keymap.json.
func Keys(path string) (keys []Binding, err error) { return keys, strictly(path, &keys) }

func strictly(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

var variable = regexp.MustCompile(`\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(:[^}]*)?\})`)

// Resolve puts the variables in. offered: false where one of Zed's has no value; such a task is not in its list. A name that is
// none of Zed's is an error here, though Zed leaves it to the shell.
func (t Task) Resolve(values map[string]string) (resolved Task, offered bool, err error) {
	offered = true
	put := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(found string) string {
			m := variable.FindStringSubmatch(found)
			name := m[1] + m[2]
			if !slices.Contains(variables, name) && !strings.HasPrefix(name, "ZED_CUSTOM_") {
				err = fmt.Errorf("%s: Zed has no variable %s", t.Label, name)
			}
			value, set := values[name]
			switch {
			case set:
				return value
			case m[3] != "":
				return m[3][1:]
			}
			offered = false
			return ""
		})
	}
	t.Label, t.Command, t.Cwd, t.Args = put(t.Label), put(t.Command), put(t.Cwd), slices.Clone(t.Args)
	for i := range t.Args {
		t.Args[i] = put(t.Args[i])
	}
	return t, offered, err
}

// Line is what the shell gets of a resolved task. Whether Zed quotes the arguments has changed between its versions, so that
// one with anything in it that a shell reads is an error.
func (t Task) Line() (string, error) {
	line := strings.Join(append([]string{t.Command}, t.Args...), " ")
	if plain := regexp.MustCompile(`^[A-Za-z0-9 ._/=-]+$`); !plain.MatchString(line) {
		return "", fmt.Errorf("%s: %q means different things with quotes and without", t.Label, line)
	}
	return line, nil
}
