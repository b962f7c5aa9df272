package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestSettingsNameWhatIsUnknownAndRefuseWhatMakesNoSense(t *testing.T) {
	for raw, want := range map[string][]string{
		`{}`: nil, `[]`: nil, `null`: nil, ``: nil,
		`{"carry":{"maxFiles":3},"agents":{"claude":{"program":"c"}},"trace":{"server":"off"}}`: nil,
		`{"bar":2,"carry":{"foo":1},"worktree":{"x":1},"log":{"y":1}}`:                          {"bar", "carry.foo", "log.y", "worktree.x"},
	} {
		_, warnings, err := Settings{}.Merge(json.RawMessage(raw))
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
		if _, _, err := (Settings{}).Merge(json.RawMessage(raw)); err == nil {
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
