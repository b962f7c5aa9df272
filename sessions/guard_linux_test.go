package sessions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

func TestGuardRefusesWhatRunsAndWhatMayRun(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	guarded := func(line string) string {
		t.Helper()
		no, err := Guard(t.Context(), p.config(), "posix", line)
		if err != nil {
			t.Fatal(err)
		}
		if no == nil {
			return "allowed"
		}
		return no.Code
	}
	check := func(when string, want map[string]string) {
		t.Helper()
		for line, code := range want {
			if got := guarded(line); got != code {
				t.Errorf("%s: %q: %s, want %s", when, line, got, code)
			}
		}
	}
	for n := 1; n <= 2; n++ {
		p.claude(app, n, "", talk(app, n, "x", "2026-05-01T10:00:00Z"))
	}
	one, two := sid(1), sid(2)
	check("nothing runs", map[string]string{
		"claude --resume " + one: "allowed", "claude --continue": "allowed", "claude $X": "allowed", "eval x": "allowed",
		"codex resume --last": "allowed", "claude --resume " + sid(9): "allowed",
	})
	p.register(os.Getpid(), 1, app, startOf(t, os.Getpid()), "busy")
	check("one runs", map[string]string{
		"claude --resume " + one: "sessionInUse", "claude --resume " + one + " --fork-session": "allowed",
		"claude --resume " + two: "allowed", "claude --continue": "resumeMayConflict", "claude -r 'a title'": "resumeMayConflict",
		"claude --resume " + two + "; claude -r " + one: "sessionInUse", "claude --resume; claude -r " + one: "sessionInUse",
		"claude $X": "resumeUnclear", "eval x": "resumeUnclear", "make": "allowed", "codex resume --last": "allowed",
	})
	p.register(os.Getpid(), 1, app, "", "busy") // an entry that does not say since when
	check("one may run", map[string]string{
		"claude --resume " + one: "sessionMaybeInUse", "claude --continue": "resumeMayConflict", "eval x": "resumeUnclear",
		"claude --resume " + two: "allowed",
	})
	if err := os.WriteFile(filepath.Join(p.home, ".claude", "sessions", "1.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("which one a process has is not known", map[string]string{"claude --resume " + two: "sessionMaybeInUse"})
}

func TestALaunchThatTheUsersArgumentsMakeAResumeIsRefused(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	path := p.claude(app, 1, "", talk(app, 1, "x", "2026-05-01T10:00:00Z"))
	program(t, p, "claude", "2.1.332 (Claude Code)")
	s, err := Find(t.Context(), p.config(), ID{Agent: "claude", ID: sid(1)})
	if err != nil || s.Source != path {
		t.Fatal(s, err)
	}
	for _, test := range []struct {
		arguments []string
		code      string
	}{
		{nil, ""},
		{[]string{"--model", "sonnet"}, ""},
		{[]string{"--from-pr", "12"}, "invalidArgument"},
	} {
		c := p.config()
		c.Arguments = map[string][]string{"claude": test.arguments}
		_, err := PrepareLaunch(t.Context(), c, s, agent.ForkRequest{Child: p.in("child"), Name: "x"})
		if test.code == "" {
			if err != nil {
				t.Errorf("%q: %v", test.arguments, err)
			}
			continue
		}
		refused(t, err, test.code)
	}
}
