package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidefork/sidefork/commands"
)

// stub answers commands by name and records what was asked. A command that has no answer fails the test.
type stub struct {
	t       *testing.T
	answers map[string]any // a *commands.Failure, or a result
	asked   []string       // names
	last    map[string]any // the last argument, without the operation's id
}

func (s *stub) run(_ context.Context, _ *commands.Env, name string, argument []byte, p commands.Progress) (any, *commands.Failure) {
	s.t.Helper()
	s.asked = append(s.asked, name)
	s.last = map[string]any{}
	if err := json.Unmarshal(argument, &s.last); err != nil {
		s.t.Errorf("%s: %v", name, err)
	}
	if id, ok := s.last["operationId"].(string); ok {
		if len(id) != 36 {
			s.t.Errorf("operationId is %q, not a UUID", id)
		}
		delete(s.last, "operationId")
	}
	answer, known := s.answers[name]
	if !known {
		s.t.Fatalf("nobody expected %s %s", name, argument)
	}
	p.Stage("op", commands.Preparing, 0)
	p.Report(50, "half")
	p.Stage("op", commands.Creating, 60)
	if f, failed := answer.(*commands.Failure); failed {
		return nil, f
	}
	return answer, nil
}

// console is a command line at test: what it prints, and a stub behind it.
type console struct {
	*stub
	line     *line
	out, err bytes.Buffer
}

func newConsole(t *testing.T, answers map[string]any) *console {
	c := &console{stub: &stub{t: t, answers: answers}}
	nobody := func(name string) string {
		if strings.HasPrefix(name, "SIDEFORK_") {
			return ""
		}
		return "/nonexistent"
	}
	c.line = &line{
		in: strings.NewReader(""), out: &c.out, err: &c.err, version: "1.2.3",
		env: &commands.Env{Getenv: nobody}, run: c.run,
		lookup: func(string) (string, bool) { return "", false },
		now:    func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
		agent: func(context.Context, commands.Launch) (int, error) {
			t.Error("an agent was started")
			return 0, nil
		},
	}
	return c
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestExitStatusFollowsTheEffect(t *testing.T) {
	failed := func(effect commands.Effect) *commands.Failure {
		return &commands.Failure{Reason: commands.Reason{Code: "bare", Message: "No.", Remedy: "Do."}, Effect: effect, Detail: "why\x1b[2J\nand why"}
	}
	for _, test := range []struct {
		answer any
		want   int
		says   string
	}{
		{commands.WorkspacesResult{}, 0, ""},
		{failed(commands.Nothing), 3, "[bare]"},
		{failed(commands.RolledBack), 1, "taken back"},
		{failed(commands.Kept), 1, "What stands"},
		{failed(commands.Uncertain), 4, "may be partially applied"},
		{commands.Cancelled{Status: "cancelled"}, 130, "cancelled"},
	} {
		c := newConsole(t, map[string]any{"sidefork.workspaces": test.answer})
		if got := c.line.main([]string{"workspaces"}); got != test.want {
			t.Errorf("%v: exit status %d, not %d", test.answer, got, test.want)
		}
		if !strings.Contains(c.err.String(), test.says) {
			t.Errorf("%v: stderr lacks %q:\n%s", test.answer, test.says, c.err.String())
		}
		if strings.Contains(c.err.String(), "Nothing was written") { // it only reads
			t.Errorf("%v: %s", test.answer, c.err.String())
		}
		if strings.Contains(c.err.String(), "\x1b") {
			t.Errorf("%v: an escape sequence reached the terminal", test.answer)
		}
	}
}

func TestWrongUsageIsStatusTwoAndAsksNothing(t *testing.T) {
	for _, args := range []string{
		"frok", "fork", "fork --name", "fork --nam x", "fork a b --name x", "fork --name x --latest --no-session",
		"fork --name x --session claude:1 --latest", "fork --name x --session claude", "fork --name x --session :1",
		"fork --name x --base a --base-default", "fork --name x --no-session --setup-hash abc", "sessions --limit many",
		"fork --name x --no-session --launch elsewhere", "plan --launch elsewhere", "fork --name x --setup perhaps", "sessions --scope everything",
		"sessions --agent nosuch", "carry a", "carry a b c", "version x", "serve x", "workspaces a b", "inspect --frobnicate", "plan --dir",
	} {
		c := newConsole(t, nil)
		if got := c.line.main(strings.Fields(args)); got != exitUsage {
			t.Errorf("%s: exit status %d", args, got)
		}
		if c.out.Len() > 0 || !strings.HasPrefix(c.err.String(), "sidefork: ") || !strings.Contains(c.err.String(), "--help") {
			t.Errorf("%s: stdout %q, stderr %q", args, c.out.String(), c.err.String())
		}
		if len(c.asked) > 0 {
			t.Errorf("%s: asked %v", args, c.asked)
		}
	}
}

func TestWrongUsageWithJSONIsAnErrorsData(t *testing.T) {
	for _, args := range []string{"frok --json", "fork --nam x --json", "--json fork", "fork --launch foo --name x --json", "carry a --json=true"} {
		c := newConsole(t, nil)
		if got := c.line.main(strings.Fields(args)); got != exitUsage {
			t.Errorf("%s: exit status %d", args, got)
		}
		var data struct {
			Reason commands.Reason
			Effect string
		}
		if err := json.Unmarshal(c.err.Bytes(), &data); err != nil {
			t.Errorf("%s: stderr is no JSON: %v\n%s", args, err, c.err.String())
		}
		same(t, args, []string{"invalidArgument", "nothing"}, []string{data.Reason.Code, data.Effect})
		if !strings.Contains(data.Reason.Remedy, "--help") || c.out.Len() > 0 {
			t.Errorf("%s: remedy %q, stdout %q", args, data.Reason.Remedy, c.out.String())
		}
	}
	c := newConsole(t, nil)
	if c.line.main([]string{"carry", "a", "--", "--json", "c"}); strings.HasPrefix(c.err.String(), "{") {
		t.Errorf("what stands behind -- was taken for a flag: %s", c.err.String())
	}
}

func TestAWrongArgumentIsWrongUsageWhoeverSaysSo(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.fork": commands.Refuse("invalidArgument", "what", "name is missing")})
	if got := c.line.main([]string{"fork", "--name", "", "--no-session"}); got != exitUsage {
		t.Errorf("exit status %d", got)
	}
}

func TestWarningsTellMessageRemedyAndEachDetailOnce(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.workspaces": commands.WorkspacesResult{Warnings: []commands.Warning{
		{Code: "a", Message: "One.", Remedy: "Do\x1b one.", Detail: "why\nand why"}, {Code: "b", Message: "Two.", Remedy: "Do two.", Detail: "why\nand why"}, {Code: "c", Message: "Three."},
	}}})
	c.line.main([]string{"workspaces"})
	same(t, "stderr", `warning: One. [a]
  Do one.
  | why
  | and why
warning: Two. [b]
  Do two.
warning: Three. [c]
`, c.err.String())
}

// TestHelpMarksWhatIsOnlyRefused: a flag that is parsed only to be refused must not look like one that works.
func TestJSONIsTheWireResultAndTheErrorsData(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.workspaces": commands.WorkspacesResult{Repositories: []commands.Repository{}}})
	c.line.errTerminal = true
	if status := c.line.main([]string{"workspaces", "--json"}); status != 0 {
		t.Errorf("exit status %d", status)
	}
	same(t, "stdout", "{\"repositories\":[]}\n", c.out.String())
	same(t, "stderr", "", c.err.String())

	c = newConsole(t, map[string]any{"sidefork.workspaces": commands.Refuse("detached")})
	c.line.errTerminal = true
	if status := c.line.main([]string{"--json", "workspaces"}); status != 3 {
		t.Errorf("exit status %d", status)
	}
	same(t, "stdout", "", c.out.String())
	var data struct {
		Reason commands.Reason
		Effect string
	}
	if err := json.Unmarshal(c.err.Bytes(), &data); err != nil {
		t.Fatalf("stderr is no JSON: %v\n%s", err, c.err.String())
	}
	same(t, "code", "detached", data.Reason.Code)
	same(t, "effect", "nothing", data.Effect)
}

func TestCancelledWithJSONPrintsTheResult(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.workspaces": commands.Cancelled{Status: "cancelled"}})
	if status := c.line.main([]string{"workspaces", "--json"}); status != 130 {
		t.Errorf("exit status %d", status)
	}
	same(t, "stdout", "{\"status\":\"cancelled\"}\n", c.out.String())
}

func TestProgressIsShownOnATerminalOnly(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		c := newConsole(t, map[string]any{"sidefork.carry": commands.CarryResult{Status: "carried"}})
		c.line.errTerminal = terminal
		c.line.main([]string{"carry", "a", "b"})
		if got := strings.Contains(c.err.String(), "Creating workspace"); got != terminal {
			t.Errorf("terminal %v: stderr is %q", terminal, c.err.String())
		}
	}
}

// TestAnotherHostIsNeverServedHere: the stub behind this command line fails the test when it is asked.
func TestAnotherHostIsNeverServedHere(t *testing.T) {
	for _, test := range []struct{ host, ssh, code string }{
		{"me@box", filepath.Join(t.TempDir(), "no-ssh"), "sshMissing"},
		{"me@box", "false", "hostNotUnderstood"},
		{"-oProxyCommand=touch x", "false", "hostInvalid"},
		{"", "false", "hostInvalid"},
	} {
		for _, args := range []string{
			"fork --name x --no-session", "plan", "carry a b", "sessions", "workspaces", "inspect", "doctor", "version", "attach", "outcome x",
		} {
			if test.code == "hostNotUnderstood" && (args == "doctor" || args == "version" || args == "attach") {
				continue // a program's own status is theirs
			}
			c := newConsole(t, nil)
			if status := c.line.main(append(strings.Fields(args), "--host", test.host, "--json", "--set", "ssh="+test.ssh)); status != 3 {
				t.Errorf("%s: exit status %d", args, status)
			}
			if !strings.Contains(c.err.String(), `"`+test.code+`"`) || c.out.Len() > 0 {
				t.Errorf("%s --host %s: stdout %q, stderr %q", args, test.host, c.out.String(), c.err.String())
			}
		}
	}
	c := newConsole(t, nil)
	if status := c.line.main([]string{"serve", "--host", "me@box"}); status != 2 {
		t.Errorf("serve: exit status %d", status)
	}
}

func TestEveryCommandHasAnExampleAndTheStatuses(t *testing.T) {
	c := newConsole(t, nil)
	root := c.line.root()
	for _, sub := range append(root.Commands(), root) {
		if sub.Name() == "help" || sub.Hidden {
			continue
		}
		if sub.Example == "" || sub.Short == "" {
			t.Errorf("%s has no example or no description", sub.Name())
		}
		var help bytes.Buffer
		sub.SetOut(&help)
		if err := sub.Help(); err != nil || !strings.Contains(help.String(), "Exit status:") {
			t.Errorf("%s --help does not tell the exit statuses (%v)", sub.Name(), err)
		}
	}
	for _, command := range commands.Table() {
		name := strings.TrimPrefix(command.Name, "sidefork.")
		if found, _, err := root.Find([]string{name}); err != nil || found == root {
			t.Errorf("%s is in the table and no subcommand", command.Name)
		}
	}
}

func TestVersionTellsTheBuild(t *testing.T) {
	c := newConsole(t, nil)
	if status := c.line.main([]string{"version"}); status != 0 || !strings.HasPrefix(c.out.String(), "sidefork 1.2.3 (go") {
		t.Errorf("status %d, stdout %q", status, c.out.String())
	}
	c = newConsole(t, nil)
	c.line.main([]string{"version", "--json"})
	var b build
	if err := json.Unmarshal(c.out.Bytes(), &b); err != nil || b.Version != "1.2.3" {
		t.Errorf("%v: %s", err, c.out.String())
	}
}

// slow is an input that gives nothing until it is closed.
func slow() (io.Reader, func()) {
	r, w := io.Pipe()
	return r, func() { w.Close() }
}
