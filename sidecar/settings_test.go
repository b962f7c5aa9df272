package sidecar

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/editor"
)

// seen is what test.env tells of the environment that a command gets.
type seen struct {
	Folders  []string
	Settings commands.Settings
}

func look(t *testing.T, e *editor.Editor) (s seen) {
	t.Helper()
	if err := e.Execute("test.env", args{}, nil).Into(soon(t), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSettingsLieInLayers(t *testing.T) {
	e := serve(t, func(o *Options) {
		o.Settings.Carry.MaxFiles, o.Settings.Carry.MaxBytes = 1, 1
		o.Settings.Worktree.Pattern = "user"
	})
	initialize(t, e, editor.Options{Settings: args{"carry": args{"maxFiles": 2, "maxBytes": 2}, "novelty": true}})
	for _, step := range []struct {
		settings string // of didChangeConfiguration; "": none
		want     string // maxFiles, maxBytes, pattern
	}{
		{"", "2 2 user"},
		{`{"sidefork":{"carry":{"maxFiles":3}}}`, "3 2 user"}, // as VS Code sends it
		{`{"carry":{"maxBytes":4}}`, "2 4 user"},              // as the section itself; the last word counts
		{`{"sidefork":{"carry":"much"}}`, "2 4 user"},         // wrong: the old ones stay
		{`{"sidefork":{"novelty":{}}}`, "2 2 user"},           // unknown: ignored
		{`null`, "2 2 user"},
		{`[]`, "2 2 user"},
		{`{"sidefork":[]}`, "2 2 user"},
		{`{"sidefork":{"worktree":{"pattern":"editor"}}}`, "2 2 editor"},
	} {
		if step.settings != "" {
			if err := e.Notify("workspace/didChangeConfiguration", args{"settings": json.RawMessage(step.settings)}); err != nil {
				t.Fatal(err)
			}
		}
		s := look(t, e).Settings
		if got := fmt.Sprint(s.Carry.MaxFiles, " ", s.Carry.MaxBytes, " ", s.Worktree.Pattern); got != step.want {
			t.Errorf("after %s the settings are %s; want %s", step.settings, got, step.want)
		}
	}
}

func TestWhatIsLaidOverAnEditorsSettingsStays(t *testing.T) {
	e := serve(t, func(o *Options) {
		o.Over = func(s commands.Settings) commands.Settings {
			s.Carry.MaxBytes = 9
			return s
		}
	})
	initialize(t, e, editor.Options{Settings: args{"carry": args{"maxBytes": 2}}})
	for range 2 {
		if got := look(t, e).Settings.Carry.MaxBytes; got != 9 {
			t.Errorf("maxBytes is %d", got)
		}
		if err := e.Notify("workspace/didChangeConfiguration", args{"settings": args{"carry": args{"maxBytes": 3}}}); err != nil {
			t.Fatal(err)
		}
	}
}

// A command reads its settings while the editor changes them: run with -race.
func TestSettingsThatChangeDoNotReachARunningCommand(t *testing.T) {
	e := serve(t, func(o *Options) { o.Settings.Agents = map[string]commands.AgentSettings{"claude": {Program: "user"}} })
	initialize(t, e, editor.Options{})
	for i := range 20 {
		c := e.Execute("test.env", args{}, nil)
		change := args{"settings": args{"agents": args{fmt.Sprint("agent", i): args{"program": "x"}}}}
		if err := e.Notify("workspace/didChangeConfiguration", change); err != nil {
			t.Fatal(err)
		}
		var s seen
		if err := c.Into(soon(t), &s); err != nil {
			t.Fatal(err)
		}
		if _, early := s.Settings.Agents[fmt.Sprint("agent", i)]; early || s.Settings.Agents["claude"].Program != "user" {
			t.Errorf("the agents' settings are %v", s.Settings.Agents)
		}
	}
}

func TestFoldersFollowTheEditor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths of this test are not Windows'")
	}
	e := serve(t, nil)
	initialize(t, e, editor.Options{Folders: []string{"/a", "/b c"}})
	change := func(added, removed []string) {
		t.Helper()
		event := args{"added": []any{}, "removed": []any{}}
		for name, list := range map[string][]string{"added": added, "removed": removed} {
			for _, f := range list {
				event[name] = append(event[name].([]any), args{"uri": f, "name": f})
			}
		}
		if err := e.Notify("workspace/didChangeWorkspaceFolders", args{"event": event}); err != nil {
			t.Fatal(err)
		}
	}
	if got := look(t, e).Folders; !slices.Equal(got, []string{"/a", "/b c"}) {
		t.Errorf("the folders are %q", got)
	}
	change([]string{"file:///d", "untitled:x", "file:///a/"}, []string{"file:///b%20c"})
	if got := look(t, e).Folders; !slices.Equal(got, []string{"/a", "/d"}) {
		t.Errorf("the folders are %q", got)
	}
}

func TestFoldersAtTheStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths of this test are not Windows'")
	}
	for params, want := range map[string]string{
		`{"workspaceFolders":[{"uri":"file:///a"},{"uri":"file:///a"},{"uri":"vscode-remote://x/b"}],"rootUri":"file:///c"}`: "/a",
		`{"workspaceFolders":null,"rootUri":"file:///c%20d/%C3%B1"}`:                                                         "/c d/ñ",
		`{"workspaceFolders":[],"rootPath":"/e/../f"}`:                                                                       "/f",
		`{"rootUri":null,"rootPath":"relative"}`:                                                                             "",
		`{"rootUri":"file://server/share"}`:                                                                                  "",
		`{"rootUri":"file://localhost/g"}`:                                                                                   "/g",
		`{"rootUri":"file:relative"}`:                                                                                        "",
		`{"rootUri":"%zz"}`:                                                                                                  "",
		`[]`:                                                                                                                 "",
	} {
		if got := strings.Join(foldersAtStart(json.RawMessage(params)), "|"); got != want {
			t.Errorf("%s: %q; want %q", params, got, want)
		}
	}
}

func TestLogsGoToAPrivateFileOfThisRun(t *testing.T) {
	state := t.TempDir()
	folder := filepath.Join(state, "sidefork", "log")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range keptLogs + 5 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("serve-2000%04d.log", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "other.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := serve(t, func(o *Options) {
		o.Getenv = func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }
	})
	initialize(t, e, editor.Options{})
	wantError(t, e.Execute("test.panic", args{}, nil), -32603)
	if status, err := e.Quit(soon(t)); status != 0 || err != nil {
		t.Fatal(status, err)
	}
	logs, err := filepath.Glob(filepath.Join(folder, "serve-*.log"))
	if err != nil || len(logs) != keptLogs {
		t.Fatalf("%d logs are kept, %v; want %d", len(logs), err, keptLogs)
	}
	if _, err := os.Stat(filepath.Join(folder, "other.txt")); err != nil {
		t.Error("a file that is no log was removed")
	}
	last := logs[len(logs)-1]
	text, err := os.ReadFile(last)
	if err != nil || !strings.Contains(string(text), `"boom"`) || !strings.Contains(string(text), "runTest") {
		t.Errorf("the log does not tell of the panic: %s, %v", text, err)
	}
	if info, err := os.Stat(last); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the log's mode is %v, %v", info.Mode(), err)
	}
}

func TestAServerWithoutALogFileWorks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e := serveReady(t, func(o *Options) { o.Getenv = func(string) string { return file } }) // a folder below a file
	wantAlive(t, e)
}

// The client sees as many log lines as its trace level asks for, and none before initialize is answered.
func TestLogMessagesFollowTheTrace(t *testing.T) {
	lines := func(e *editor.Editor) (list []string) {
		for _, n := range e.Notifications.All() {
			if n.Method == "window/logMessage" {
				var p struct {
					Type    int
					Message string
				}
				_ = json.Unmarshal(n.Params, &p)
				list = append(list, fmt.Sprint(p.Type, " ", p.Message))
			}
		}
		return list
	}
	has := func(list []string, start string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, start) })
	}
	refuse := func(editor.Request) (any, *editor.Error, bool) { return nil, &editor.Error{Code: -32601}, true }

	for trace, wantInfo := range map[string]bool{"": false, "off": false, "message": true, "messages": true, "verbose": true, "compact": false} {
		e := serve(t, nil)
		initialize(t, e, editor.Options{Trace: trace})
		e.Answering(refuse)
		_, _ = e.Execute("test.stages", args{"operationId": "op"}, nil).Wait(soon(t)) // an info line: no token
		wantError(t, e.Execute("test.panic", args{}, "t"), -32603)                    // an error line
		got := lines(e)
		if has(got, "3 the client made no progress token") != wantInfo || !has(got, "1 panic") {
			t.Errorf("trace %q: the client saw %q", trace, got)
		}
	}

	e := serve(t, nil)
	initialize(t, e, editor.Options{Settings: args{"novelty": 1}})
	wantAlive(t, e)
	if got := lines(e); !has(got, "2 The setting novelty") {
		t.Errorf("of an unknown setting the client saw %q", got)
	}
	e.Answering(refuse)
	if err := e.Notify("$/setTrace", args{"value": "verbose"}); err != nil {
		t.Fatal(err)
	}
	_, _ = e.Execute("test.stages", args{"operationId": "op"}, nil).Wait(soon(t))
	if got := lines(e); !has(got, "3 ") {
		t.Errorf("after setTrace the client saw %q", got)
	}
}
