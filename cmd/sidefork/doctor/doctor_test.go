package doctor

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sessions/agent"
)

func TestABundleHoldsNothingOfTheUsers(t *testing.T) {
	getenv := func(name string) string {
		return map[string]string{"HOME": "/home/ada", "USER": "ada", "TMUX": "/tmp/secret", "SIDEFORK_NAME_PATTERN": "secret"}[name]
	}
	if os.PathSeparator != '/' {
		t.Skip("the paths of Unix")
	}
	e := Examination{
		Agents:  []Agent{{Agent: "claude", Program: "/home/ada/.local/bin/claude", Version: "2.1.332", Homes: []string{"/srv/secret"}, Missing: []string{"/x/secret"}, Sessions: 3, Broken: []agent.Problem{{Source: "/secret", Message: "secret"}}}},
		Editors: []Program{{"Zed", "/mnt/ada/bin/zed\x1b[2J"}},
		Settings: SettingsFinding{Path: "/home/ada/secret", Broken: "secret", Values: []commands.Setting{
			{Name: "agents.claude.arguments", Value: []string{"--key", "secret"}, Origin: "/home/ada/secret.json"},
			{Name: "name.pattern", Value: "secret/{branch}", Origin: "SIDEFORK_NAME_PATTERN"},
			{Name: "setup.policy", Value: "ask", Origin: "--set"},
			{Name: "carry.maxFiles", Value: 7, Origin: "--set"},
			{Name: "worktree.pattern", Value: "the default", Origin: ""},
		}},
		Log:    Folder{"/home/ada/secret"},
		Checks: []Check{{About: "repository", State: Warning, Message: "secret", Code: "detached", Remedy: "secret", More: []string{"secret", "secret"}}},
	}
	text, err := e.Bundle(getenv)
	if err != nil || !json.Valid(text) {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, word := range []string{"secret", "ada", "\x1b", "the default", "/srv"} {
		if strings.Contains(string(text), word) {
			t.Errorf("%q is in it:\n%s", word, text)
		}
	}
	for _, word := range []string{`"~/.local/bin/claude"`, `"/mnt/USER/bin/zed[2J"`, `"detached"`, `"more": 2`, `"TMUX": true`, `"value": 7`, `"value": "ask"`, `"value": "(a text)"`, `"origin": "a file"`, `"broken": 1`} {
		if !strings.Contains(string(text), word) {
			t.Errorf("%s is not in it:\n%s", word, text)
		}
	}
}

func TestEverythingThatIsNotWellHasARemedy(t *testing.T) {
	home := t.TempDir()
	logs := filepath.Join(home, "log")
	if err := os.WriteFile(logs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	getenv := func(name string) string {
		if name == "HOME" || name == "USERPROFILE" {
			return home
		}
		return ""
	}
	t.Setenv("PATH", home) // no git either
	m := Machine{
		Env: &commands.Env{Getenv: getenv}, Here: home, Logs: logs, Settings: commands.Refuse("settingsBroken", "path", "x", "what", "y"),
		LookPath: func(string) (string, error) { return "", os.ErrNotExist },
	}
	e := m.Examine(context.Background(), nil, "v1")
	state := map[string]State{}
	for _, c := range e.Checks {
		state[c.About] = c.State
		if c.Message == "" || (c.State != OK) != (c.Remedy != "") {
			t.Errorf("%+v", c)
		}
	}
	if state["git"] != Error || state["settings"] != Error || state["logs"] != Warning || state["tmux"] != OK || e.Worst() != Error {
		t.Errorf("%v", state)
	}
	unused, used := Agent{Agent: "pi", Problem: "agentNotInstalled"}.check(speaker{}), Agent{Agent: "pi", Problem: "agentNotInstalled", Sessions: 2}.check(speaker{})
	if unused.State != OK || used.State != Warning || !slices.Contains(used.More, "2 sessions") {
		t.Errorf("%+v, %+v", unused, used)
	}
}
