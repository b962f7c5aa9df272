package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sessions/agent"
)

const (
	newest = "9c322651-a113-47aa-817a-43cef594a8f5"
	older  = "868e93ae-7368-43d4-ace0-4d5af9031a36"
)

func session(id, title string, hoursAgo int, kind string) commands.Session {
	at := time.Date(2026, 11, 30, 12-hoursAgo, 0, 0, 0, time.UTC)
	return commands.Session{Agent: "claude", ID: id, Title: title, LastActivity: &at, State: agent.Ended, Fork: commands.SessionFork{Kind: kind}}
}

func listed(all ...commands.Session) commands.SessionsResult {
	return commands.SessionsResult{Sessions: all, Problems: []agent.Problem{}}
}

func forked() *commands.ForkResult {
	secret := "/home/u/.claude-work"
	return &commands.ForkResult{
		Status:    "completed",
		Workspace: &commands.Workspace{Path: "/home/u/app-worktrees/try", Branch: "try", Head: "0123456789abcdef0123456789abcdef01234567"},
		Session:   &commands.ForkSession{Agent: "claude", ID: "11111111-2222-3333-4444-555555555555", Parent: agent.ID{Agent: "claude", ID: newest}},
		Launch: &commands.Launch{
			Argv: []string{"claude", "--resume", newest}, Cwd: "/home/u/app-worktrees/try",
			Env:         map[string]*string{"CLAUDE_CONFIG_DIR": &secret, "CLAUDECODE": nil},
			CommandLine: commands.CommandLine{POSIX: "cd /home/u/app-worktrees/try && claude --resume " + newest, PowerShell: "cd try; claude --resume " + newest},
		},
		Carried: &commands.CarryResult{
			Status: "carried", Numbers: carry.Numbers{Tracked: 2, Untracked: 1, Staged: 1, Bytes: 2048}, Verified: true,
			Left: []carry.Left{{Path: "node_modules/", Reason: "ignored"}},
		},
		Warnings: []commands.Warning{{Code: "setupNotRun", Message: "The repository's setup was \x1b]0;x\anot run.", Remedy: "Run it."}},
	}
}

// TestForkArgumentIsBuiltFromTheFlags goes through every flag of the contract. A flag that is not served yet is in the
// argument too: the command refuses it, by name.
func TestForkArgumentIsBuiltFromTheFlags(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	for _, test := range []struct {
		args string
		want object // beside workspace, name, session and launch
	}{
		{"", object{}},
		{"../elsewhere", object{"workspace": filepath.Join(here, "../elsewhere")}},
		{"--no-carry", object{"carry": false}},
		{"--no-child", object{"child": false}},
		{"--unstage", object{"staged": "unstage"}},
		{"--include *.env --include a,b", object{"include": []any{"*.env", "a,b"}}},
		{"--base v1.0", object{"base": object{"kind": "ref", "ref": "v1.0"}}},
		{"--base-default", object{"base": object{"kind": "repositoryDefault"}}},
		{"--setup skip", object{"setup": object{"decision": "skip"}}},
		{"--setup run --setup-hash abc", object{"setup": object{"decision": "run", "hash": "abc"}}},
		{"--prompt go", object{"prompt": "go"}},
		{"--launch tmux", object{"launch": "tmux"}},
		{"--launch none", object{"launch": "none"}},
		{"--dir ../x", object{"dir": filepath.Join(here, "../x")}},
		{"--dir /x", object{"dir": "/x"}},
		{"--session claude:" + newest, object{"session": object{"agent": "claude", "id": newest}}},
	} {
		c := newConsole(t, map[string]any{"sidefork.fork": forked()})
		args := append([]string{"fork", "--name", "try"}, strings.Fields(test.args)...)
		if !strings.Contains(test.args, "--session") {
			args = append(args, "--no-session")
		}
		if status := c.line.main(args); status != 0 {
			t.Errorf("%s: exit status %d: %s", test.args, status, c.err.String())
		}
		want := object{"workspace": here, "name": "try", "session": nil, "launch": "client"}
		for name, value := range test.want {
			want[name] = value
		}
		same(t, test.args, want, c.last)
	}
}

func TestForkTakesTheNewestSessionThatCanBeForked(t *testing.T) {
	for _, args := range []string{"fork --name try", "fork --name try --latest"} {
		c := newConsole(t, map[string]any{
			"sidefork.sessions": listed(session("00000000-0000-0000-0000-000000000000", "broken", 0, "none"), session(newest, "cache", 1, "native"), session(older, "old", 2, "native")),
			"sidefork.fork":     forked(),
		})
		if status := c.line.main(strings.Fields(args)); status != 0 {
			t.Fatalf("exit status %d: %s", status, c.err.String())
		}
		same(t, "session", any(map[string]any{"agent": "claude", "id": newest}), c.last["session"])
		if !strings.Contains(c.err.String(), "Forking the newest session that can be forked: claude 9c322651  cache  (1 h)") {
			t.Errorf("it does not say which: %s", c.err.String())
		}
	}
}

func TestForkWithoutASessionMakesABranchOnlyWorkspaceAndSaysSo(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.sessions": listed(session(newest, "x", 1, "none")), "sidefork.fork": forked()})
	if status := c.line.main([]string{"fork", "--name", "try"}); status != 0 {
		t.Fatalf("exit status %d: %s", status, c.err.String())
	}
	same(t, "session", any(nil), c.last["session"])
	if !strings.Contains(c.err.String(), "without an agent") {
		t.Errorf("it does not say so: %s", c.err.String())
	}
}

func TestForkLatestWithoutASessionIsRefused(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.sessions": listed()})
	if status := c.line.main([]string{"fork", "--name", "try", "--latest"}); status != 3 {
		t.Errorf("exit status %d: %s", status, c.err.String())
	}
	if !strings.Contains(c.err.String(), "noSession") {
		t.Errorf("stderr: %s", c.err.String())
	}
}

func TestForkLatestTellsWhyTheNewestCannotBeForked(t *testing.T) {
	gone := session(newest, "x", 1, "none")
	gone.Fork.Reason = &commands.Reason{Code: "agentNotInstalled", Message: "claude is not installed.", Remedy: "Install it."}
	c := newConsole(t, map[string]any{"sidefork.sessions": listed(gone, session(older, "y", 2, "none"))})
	if status := c.line.main([]string{"fork", "--name", "try", "--latest"}); status != 3 {
		t.Errorf("exit status %d: %s", status, c.err.String())
	}
	if !strings.Contains(c.err.String(), "[agentNotInstalled]") {
		t.Errorf("stderr: %s", c.err.String())
	}
}

// refusing is a fork that is refused before its first write: only Preparing is reached.
func refusing(_ context.Context, _ *commands.Env, name string, _ []byte, p commands.Progress) (any, *commands.Failure) {
	if name == "sidefork.sessions" {
		return listed(session(newest, "x", 1, "native")), nil
	}
	p.Stage("op", commands.Preparing, 0)
	return nil, commands.Refuse("nameTaken", "name", "try", "suggestion", "try-2")
}

func TestNothingIsAnnouncedOfAForkThatIsRefused(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		c := newConsole(t, nil)
		c.line.run, c.line.errTerminal = refusing, terminal
		if status := c.line.main([]string{"fork", "--name", "try"}); status != exitRefused {
			t.Errorf("exit status %d", status)
		}
		if text := c.err.String(); strings.Contains(text, "Forking") || !strings.Contains(text, "[nameTaken]") {
			t.Errorf("terminal %v: stderr: %s", terminal, text)
		}
	}
}

func TestTheStartCommandIsForTheShellThatCalled(t *testing.T) {
	secret := "/home/u/.claude-work"
	for _, test := range []struct {
		environment map[string]string
		want        string
	}{
		{nil, "env CLAUDE_CONFIG_DIR=/home/u/.claude-work claude"},
		{map[string]string{"CLAUDE_CONFIG_DIR": secret}, "&& claude"},
		{map[string]string{"CLAUDECODE": "", "CLAUDE_CONFIG_DIR": "/other"}, "env -u CLAUDECODE CLAUDE_CONFIG_DIR=/home/u/.claude-work claude"},
	} {
		c := newConsole(t, map[string]any{"sidefork.fork": forked()})
		c.line.lookup = func(name string) (string, bool) { value, set := test.environment[name]; return value, set }
		c.line.main([]string{"fork", "--name", "try", "--no-session"})
		if !strings.Contains(c.out.String(), test.want) {
			t.Errorf("%v: no %q in:\n%s", test.environment, test.want, c.out.String())
		}
	}
}

func TestForkPassesOnWhyTheSessionsCannotBeListed(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.sessions": commands.Refuse("notARepository", "path", "/x")})
	if status := c.line.main([]string{"fork", "--name", "try", "--json"}); status != 3 {
		t.Errorf("exit status %d", status)
	}
	if !strings.Contains(c.err.String(), `"notARepository"`) {
		t.Errorf("stderr: %s", c.err.String())
	}
}

func TestForkAsksWhichOfSeveralSessions(t *testing.T) {
	two := listed(session(newest, "cache", 1, "native"), session(older, "parser", 2, "native"))
	for _, test := range []struct {
		typed string
		want  any
	}{
		{"2\n", map[string]any{"agent": "claude", "id": older}},
		{"\n", map[string]any{"agent": "claude", "id": newest}},
		{"7\nx\n-1\n2\n", map[string]any{"agent": "claude", "id": older}},
		{"0\n", nil},
	} {
		c := newConsole(t, map[string]any{"sidefork.sessions": two, "sidefork.plan": commands.Plan{}, "sidefork.fork": forked()})
		c.line.in, c.line.inTerminal, c.line.errTerminal = strings.NewReader(test.typed), true, true
		if status := c.line.main([]string{"fork", "--name", "try"}); status != 0 {
			t.Errorf("%q: exit status %d", test.typed, status)
		}
		same(t, test.typed, test.want, c.last["session"])
	}
}

func TestForkWithoutAnAnswerIsCancelled(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.sessions": listed(session(newest, "a", 1, "native"), session(older, "b", 2, "native"))})
	c.line.inTerminal, c.line.errTerminal = true, true
	if status := c.line.main([]string{"fork", "--name", "try"}); status != exitCancelled {
		t.Errorf("exit status %d", status)
	}
}

func TestAskingEndsWithTheContext(t *testing.T) {
	c := newConsole(t, nil)
	var end func()
	c.line.in, end = slow()
	defer end()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := c.line.askSession(ctx, &commands.ForkParams{}, []commands.Session{session(newest, "a", 1, "native")})
	if !a.cancelled {
		t.Errorf("answered %+v", a)
	}
}

func TestForkCompletesTheBeginningOfAnID(t *testing.T) {
	other := "9c322651-ffff-47aa-817a-43cef594a8f5"
	all := listed(session(newest, "a", 1, "native"), session(other, "b", 2, "native"), session(older, "c", 3, "native"))
	for _, test := range []struct {
		word   string
		status int
		want   string
	}{
		{"claude:868e", 0, older}, {"claude:9c322651-a", 0, newest}, {"claude:nosuch", 0, "nosuch"}, {"claude:9c32", 2, ""},
	} {
		c := newConsole(t, map[string]any{"sidefork.sessions": all, "sidefork.fork": forked()})
		if status := c.line.main([]string{"fork", "--name", "try", "--session", test.word}); status != test.status {
			t.Errorf("%s: exit status %d: %s", test.word, status, c.err.String())
		}
		if test.status == 0 {
			same(t, test.word, any(map[string]any{"agent": "claude", "id": test.want}), c.last["session"])
		}
	}
}

func TestForkStartsTheAgentOnATerminal(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.plan": commands.Plan{}, "sidefork.fork": forked()})
	c.line.inTerminal, c.line.outTerminal, c.line.errTerminal = true, true, true
	var started commands.Launch
	c.line.agent = func(_ context.Context, launch commands.Launch) (int, error) {
		started = launch
		return 42, nil
	}
	if status := c.line.main([]string{"fork", "--name", "try", "--no-session"}); status != 42 {
		t.Errorf("exit status %d is not the agent's", status)
	}
	same(t, "launch", *forked().Launch, started)
	if strings.Contains(c.out.String(), "Start its agent") {
		t.Errorf("it asks the user to start what it starts:\n%s", c.out.String())
	}
}

func TestForkPrintsTheCommandWhereNoTerminalIs(t *testing.T) {
	for _, args := range []string{"fork --name try --no-session", "fork --name try --no-session --launch none"} {
		c := newConsole(t, map[string]any{"sidefork.fork": forked()})
		c.line.inTerminal = true
		c.line.outTerminal = strings.Contains(args, "none")
		c.line.main(strings.Fields(args))
		same(t, "stdout", `Forked into try.
  workspace  /home/u/app-worktrees/try
  commit     01234567
  session    claude 11111111-2222-3333-4444-555555555555, forked from `+newest+`
  changes    2 modified, 1 new, 1 staged; 2.0 KiB; both sides proved equal
  stays      node_modules/ (ignored)

Start its agent from this shell with (--json has a longer one, for any):

cd /home/u/app-worktrees/try && env CLAUDE_CONFIG_DIR=/home/u/.claude-work claude --resume `+newest+"\n", c.out.String())
		if !strings.Contains(c.err.String(), "warning: The repository's setup was ]0;xnot run. [setupNotRun]\n  Run it.\n") {
			t.Errorf("stderr: %q", c.err.String())
		}
	}
}

func TestForkJSONNeverStartsAnAgent(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.sessions": listed(session(newest, "x", 1, "native")), "sidefork.fork": forked()})
	c.line.inTerminal, c.line.outTerminal, c.line.errTerminal = true, true, true
	c.line.main([]string{"fork", "--name", "try", "--json"})
	var got, want any
	if err := json.Unmarshal(c.out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(forked())
	if err != nil || json.Unmarshal(raw, &want) != nil {
		t.Fatal(err)
	}
	same(t, "stdout", want, got)
	same(t, "stderr", "", c.err.String())
}

func TestAnAgentThatDoesNotStartNeverUndoesTheFork(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.fork": forked()})
	c.line.inTerminal, c.line.outTerminal = true, true
	c.line.agent = func(context.Context, commands.Launch) (int, error) { return 0, errors.New("no such file") }
	if status := c.line.main([]string{"fork", "--name", "try", "--no-session"}); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if !strings.Contains(c.err.String(), "The workspace stands") || !strings.Contains(c.err.String(), "--resume") {
		t.Errorf("stderr: %s", c.err.String())
	}
}

func TestEnvironmentHoldsOnlyTheDifferences(t *testing.T) {
	value := "new"
	got := environment([]string{"KEEP=1", "CHANGE=old", "GONE=x", "=C:=weird"}, map[string]*string{"CHANGE": &value, "GONE": nil})
	same(t, "environment", []string{"KEEP=1", "=C:=weird", "CHANGE=new"}, got)
}

func TestCarryArgumentIsBuiltFromTheFlags(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.carry": commands.CarryResult{Status: "carried", Numbers: carry.Numbers{Tracked: 1, Bytes: 3}, Verified: true}})
	if status := c.line.main([]string{"carry", "/from", "/to", "--unstage", "--include", "*.env"}); status != 0 {
		t.Fatalf("exit status %d: %s", status, c.err.String())
	}
	same(t, "argument", map[string]any{"from": "/from", "to": "/to", "staged": "unstage", "include": []any{"*.env"}}, c.last)
	same(t, "stdout", "Carried to /to.\n  changes    1 modified; 3 B; both sides proved equal\n", c.out.String())
}

func TestSettingsThatCannotBeReadAreRefused(t *testing.T) {
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "sidefork"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "sidefork", "settings.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newConsole(t, nil)
	c.line.env.Getenv = func(string) string { return home }
	if status := c.line.main([]string{"workspaces"}); status != 3 || !strings.Contains(c.err.String(), "settingsBroken") {
		t.Errorf("exit status %d: %s", status, c.err.String())
	}
}
