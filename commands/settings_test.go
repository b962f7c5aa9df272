package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSettingsNameWhatIsUnknownAndRefuseWhatMakesNoSense(t *testing.T) {
	for raw, want := range map[string][]string{
		`{}`: nil, `[]`: nil, `null`: nil, ``: nil,
		`{"carry":{"maxFiles":3},"agents":{"claude":{"program":"c"}},"trace":{"server":"off"}}`: nil,
		`{"bar":2,"carry":{"foo":1},"worktree":{"x":1},"log":{"y":1}}`:                          {"bar", "carry.foo", "log.y", "worktree.x"},
	} {
		_, warnings, err := Settings{}.Merge("test", json.RawMessage(raw))
		if err != nil || len(warnings) != len(want) {
			t.Errorf("%s: %+v %v", raw, warnings, err)
			continue
		}
		for i, name := range want {
			if w := warning("settingIgnored", "", "name", name); warnings[i].Message != w.Message {
				t.Errorf("%s: %q, want %q", raw, warnings[i].Message, w.Message)
			}
		}
	}
	for _, raw := range []string{
		`{bad`, `7`, `"x"`, `{"carry":{"maxFiles":-1}}`, `{"carry":{"maxBytes":-1}}`, `{"carry":{"maxIncludedFiles":-1}}`, `{"carry":{"maxIncludedBytes":-1}}`,
	} {
		if _, _, err := (Settings{}).Merge("test", json.RawMessage(raw)); err == nil {
			t.Errorf("%s is taken", raw)
		}
	}
}

func TestASettingsFileThatHoldsNoObjectIsBroken(t *testing.T) {
	home := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
	if _, _, err := UserSettings(getenv); err != nil {
		t.Errorf("none at all: %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(SettingsFile(getenv)), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, broken := range map[string]bool{"": true, " \n": true, "[]": true, "null": true, "{bad": true, "{}": false, `{"carry":{"maxFiles":1}}`: false} {
		if err := os.WriteFile(SettingsFile(getenv), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := UserSettings(getenv)
		if f, refused := err.(*Failure); broken != (err != nil) || refused && f.Reason.Code != "settingsBroken" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAWrongSettingIsNamedAndNothingOfItHolds(t *testing.T) {
	before := Settings{Carry: CarrySettings{MaxFiles: 7}}
	for raw, want := range map[string]string{
		`{"carry":{"maxFiles":"many","maxBytes":5}}`:                       "carry.maxFiles is no whole number",
		`{"carry":{"maxFiles":1.5}}`:                                       "carry.maxFiles is no whole number",
		`{"carry":{"maxFiles":-1}}`:                                        "carry.maxFiles is negative",
		`{"carry":"much"}`:                                                 "carry is not an object",
		`{"setup":{"policy":"always","timeLimit":-3}}`:                     "setup.policy is none of run, ask, skip; setup.timeLimit is negative",
		`{"setup":{"wait":"no"}}`:                                          "setup.wait is neither true nor false",
		`{"log":{"level":"loud"}}`:                                         "log.level is none of debug, info, warn, error",
		`{"worktree":{"pattern":"{home}/{name}"}}`:                         "worktree.pattern is a pattern with {home}, which is none of main, name",
		`{"name":{"pattern":"{user}"}}`:                                    "name.pattern is a pattern with {user}",
		`{"agents":{"claude":{"homes":"/x","program":3,"arguments":[1]}}}`: "agents.claude.arguments is no list of texts; agents.claude.homes is no list of texts; agents.claude.program is no text",
		`{"agents":{"claude":7}}`:                                          "agents.claude is not an object",
		`[1]`:                                                              "they are no JSON object",
	} {
		got, _, err := before.Merge("test", json.RawMessage(raw))
		if err == nil || !strings.Contains(err.Error(), want) || got.Carry.MaxFiles != 7 || got.Carry.MaxBytes != 0 {
			t.Errorf("%s: %v, %+v", raw, err, got)
		}
	}
}

func TestSettingsAreSharedByNoTwoLayers(t *testing.T) {
	first, _, err := Settings{}.Merge("first", json.RawMessage(`{"agents":{"claude":{"homes":["/a","/b"],"program":"/p"}},"carry":[],"setup":null}`))
	if err != nil {
		t.Fatal(err)
	}
	second, warnings, err := first.Merge("second", json.RawMessage(`{"agents":{"claude":{"homes":["/c"]},"clod":{"program":"x"}},"CARRY":{"maxfiles":3}}`))
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Message, "agents.clod") {
		t.Errorf("%+v, %v", warnings, err)
	}
	if a := first.Agents["claude"]; strings.Join(a.Homes, " ") != "/a /b" || len(first.Agents) != 1 || first.origins["carry.maxFiles"] != "" {
		t.Errorf("the first is now %+v", first)
	}
	if a := second.Agents["claude"]; strings.Join(a.Homes, " ") != "/c" || a.Program != "/p" || second.Carry.MaxFiles != 3 {
		t.Errorf("the second is %+v", second)
	}
}

// TestEverySettingSaysWhereItComesFrom: flags over the environment, over the editor's, over the file, over the defaults.
func TestEverySettingSaysWhereItComesFrom(t *testing.T) {
	variables := map[string]string{
		"SIDEFORK_CARRY_MAX_BYTES": "5", "SIDEFORK_AGENTS_CLAUDE_HOMES": `["/a","/b"]`, "SIDEFORK_AGENTS_CODEX_HOMES": "/one", "SIDEFORK_SETUP_POLICY": "ask", "SIDEFORK_SETUP_WAIT": "false",
	}
	getenv := func(name string) string { return variables[name] }
	over, err := Overrides(getenv, []string{"setup.policy=skip", "agents.codex.arguments=--search"})
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := Settings{}.Merge("/settings.json", json.RawMessage(`{"carry":{"maxFiles":1,"maxBytes":1,"maxIncludedFiles":1},"setup":{"policy":"run"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Merge("initializationOptions", json.RawMessage(`{"carry":{"maxBytes":2,"maxIncludedFiles":2}}`)); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, one := range over(s).List() {
		value, _ := json.Marshal(one.Value)
		got[one.Name] = string(value) + " " + one.Origin
	}
	for name, want := range map[string]string{
		"carry.maxFiles":         `1 /settings.json`,
		"carry.maxIncludedFiles": `2 initializationOptions`,
		"carry.maxBytes":         `5 SIDEFORK_CARRY_MAX_BYTES`,
		"carry.maxIncludedBytes": `10737418240 `,
		"setup.policy":           `"skip" --set`,
		"setup.wait":             `false SIDEFORK_SETUP_WAIT`,
		"setup.timeLimit":        `1800 `,
		"worktree.pattern":       `"{main}-worktrees/{name}" `,
		"agents.claude.homes":    `["/a","/b"] SIDEFORK_AGENTS_CLAUDE_HOMES`,
		"agents.codex.homes":     `["/one"] SIDEFORK_AGENTS_CODEX_HOMES`,
		"agents.codex.arguments": `["--search"] --set`,
		"agents.pi.program":      `"" `,
		"agents.opencode.homes":  `[] `,
	} {
		if got[name] != want {
			t.Errorf("%s is %s, want %s", name, got[name], want)
		}
	}
	if _, err := Overrides(func(name string) string { return map[string]string{"SIDEFORK_LOG_LEVEL": "loud"}[name] }, nil); err == nil || !strings.Contains(err.Error(), "SIDEFORK_LOG_LEVEL") {
		t.Errorf("a wrong variable: %v", err)
	}
	for _, flag := range []string{"carry.maxFiles", "carry.maxFile=1", "carry=1", "carry.maxFiles=x", "=", "worktree.pattern={x}"} {
		if _, err := Overrides(getenv, []string{flag}); err == nil || err.(*Failure).Reason.Code != "invalidArgument" {
			t.Errorf("--set %s: %v", flag, err)
		}
	}
}

func TestAForkIsCalledByTheUsersPatternThenTheRepositorys(t *testing.T) {
	for _, test := range []struct{ user, repository, want string }{
		{"", "", "my-app-fork"},
		{"", "try/{workspace}", "try/my-app"},
		{"{branch}-2", "try/{workspace}", "feature-x-2"},
		{"", "\x1b[2J//../{branch}\u202e", "2J/session/feature-x"},
		{"", "///", "session-fork"},
	} {
		env := &Env{Settings: Settings{Name: NameSettings{Pattern: test.user}}}
		if got := env.forkName("/src/my app", "feature/x", test.repository); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
