package sessions

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

// program makes a program on the PATH of the place that says version, and counts how often it is asked.
func program(t *testing.T, p place, name, version string) (path string) {
	t.Helper()
	return script(t, p, name, "echo '"+version+"'")
}

// script makes a program of shell commands.
func script(t *testing.T, p place, name, commands string) (path string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for an agent's program is a shell script")
	}
	path = filepath.Join(p.home, "bin", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "#!/bin/sh\necho \"$*\" >>\"$0.asked\"\n" + commands + "\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o700); err != nil { // of one that was there
		t.Fatal(err)
	}
	return path
}

func asked(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path + ".asked")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "--version\n")
}

// parent gives a session that can be forked.
func (p place) parent() Session {
	p.t.Helper()
	app := p.in("app")
	p.claude(app, 1, "", talk(app, 1, "one", "2026-05-01T10:00:00Z"))
	s, err := Find(p.t.Context(), p.config(), ID{Agent: "claude", ID: sid(1)})
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

func TestPrepareLaunchBuildsTheCommand(t *testing.T) {
	p := newPlace(t)
	s := p.parent()
	path := program(t, p, "claude", "2.1.332 (Claude Code)")
	c := p.config()
	c.Arguments = map[string][]string{"claude": {"--model", "opus"}}
	before := time.Now()
	l, err := PrepareLaunch(t.Context(), c, s, agent.ForkRequest{Child: p.in("child"), Name: "child", Prompt: "go on"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{path, "--model", "opus", "--resume", sid(1), "--fork-session", "--session-id", l.Session.ID, "--name", "child", "--", "go on"}
	if !slices.Equal(l.Argv, want) || l.Cwd != p.in("child") || l.Prepared.Before(before) {
		t.Errorf("got %+v", l)
	}
	if agent.IsFolder(p.in("child")) {
		t.Error("the child's folder was made")
	}
}

func TestPrepareLaunchRefusesBeforeAnythingRuns(t *testing.T) {
	p := newPlace(t)
	s := p.parent()
	path := program(t, p, "claude", "2.1.332 (Claude Code)")
	good := agent.ForkRequest{Child: p.in("child"), Name: "child"}
	tests := []struct {
		name, code string
		change     func(s *Session, r *agent.ForkRequest)
	}{
		{"a session that cannot be forked", "sessionEmpty", func(s *Session, _ *agent.ForkRequest) { s.NotForkable = agent.Refuse("sessionEmpty") }},
		{"an id that is a flag", "invalidSession", func(s *Session, _ *agent.ForkRequest) { s.ID.ID = "--dangerously" }},
		{"an agent that is not known", "agentUnknown", func(s *Session, _ *agent.ForkRequest) { s.ID.Agent = "nobody" }},
		{"a relative child", "invalidArgument", func(_ *Session, r *agent.ForkRequest) { r.Child = "child" }},
		{"a NUL in the prompt", "invalidArgument", func(_ *Session, r *agent.ForkRequest) { r.Prompt = "a\x00b" }},
		{"a name that is a flag", "invalidName", func(_ *Session, r *agent.ForkRequest) { r.Name = "--print" }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, r := s, good
			test.change(&s, &r)
			_, err := PrepareLaunch(t.Context(), p.config(), s, r)
			refused(t, err, test.code)
		})
	}
	if n := asked(t, path); n != 0 {
		t.Errorf("the program ran %d times", n)
	}
}

func TestPrepareLaunchSaysWhatIsWrongWithTheProgram(t *testing.T) {
	p := newPlace(t)
	s := p.parent()
	prepare := func(c Config) error {
		_, err := PrepareLaunch(t.Context(), c, s, agent.ForkRequest{Child: p.in("child")})
		return err
	}
	refused(t, prepare(p.config()), "agentNotInstalled")
	path := program(t, p, "claude", "2.1.196 (Claude Code)")
	if no := refused(t, prepare(p.config()), "agentTooOld"); no.Args["version"] != "2.1.196" {
		t.Errorf("got %v", no.Args)
	}
	script(t, p, "claude", "echo broken; exit 3")
	if no := refused(t, prepare(p.config()), "agentProbeFailed"); !strings.Contains(no.Detail, "broken") {
		t.Errorf("detail %q", no.Detail)
	}
	script(t, p, "claude", "echo no number; exit 0")
	refused(t, prepare(p.config()), "agentProbeFailed")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, prepare(p.config()), "agentNotInstalled")

	// The user's setting comes before PATH, and is not replaced by it.
	program(t, p, "claude", "2.1.332 (Claude Code)")
	c := p.config()
	c.Programs = map[string]string{"claude": filepath.Join(p.home, "elsewhere")}
	refused(t, prepare(c), "agentNotInstalled")
	c.Programs["claude"] = path
	if err := prepare(c); err != nil {
		t.Error(err)
	}
}

func TestAProgramInTheCurrentFolderIsNotTaken(t *testing.T) {
	p := newPlace(t)
	s := p.parent()
	path := program(t, p, "claude", "2.1.332 (Claude Code)")
	t.Chdir(filepath.Dir(path))
	for _, folders := range []string{"", ".", ":", "../bin"} {
		c := Config{Getenv: func(name string) string { return map[string]string{"PATH": folders}[name] }}
		_, err := PrepareLaunch(t.Context(), c, s, agent.ForkRequest{Child: p.in("child")})
		refused(t, err, "agentNotInstalled")
	}
}

func TestAProgramIsAskedOncePerBuild(t *testing.T) {
	p := newPlace(t)
	s := p.parent()
	path := program(t, p, "claude", "2.1.332 (Claude Code)")
	c := p.config()
	c.Versions = new(Versions)
	prepare := func() {
		t.Helper()
		if _, err := PrepareLaunch(t.Context(), c, s, agent.ForkRequest{Child: p.in("child")}); err != nil {
			t.Fatal(err)
		}
	}
	prepare()
	prepare()
	if n := asked(t, path); n != 1 {
		t.Errorf("asked %d times", n)
	}
	if err := os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	prepare()
	if n := asked(t, path); n != 2 {
		t.Errorf("asked %d times", n)
	}
}

func TestTheProbeRunsAwayFromTheRepositoryWithLittleEnvironment(t *testing.T) {
	p := newPlace(t)
	s := p.parent()
	path := script(t, p, "claude", "pwd >\"$0.env\"; /usr/bin/env >>\"$0.env\"; echo 2.1.332")
	t.Setenv("A_SECRET", "x")
	t.Chdir(p.in("app"))
	if _, err := PrepareLaunch(t.Context(), p.config(), s, agent.ForkRequest{Child: p.in("child")}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path + ".env")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), filepath.Dir(path)+"\n") || strings.Contains(string(text), "A_SECRET") {
		t.Errorf("got %s", text)
	}
}

func TestVersionsAreReadAndCompared(t *testing.T) {
	for text, want := range map[string]agent.Version{
		"2.1.332 (Claude Code)": {2, 1, 332}, "codex-cli 0.171.0\n": {0, 171, 0}, "v1.2.3-beta.4": {1, 2, 3},
	} {
		if got, ok := agent.ParseVersion(text); !ok || got != want {
			t.Errorf("%q: %v %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "x", "1.2", "99999999999.1.1"} {
		if got, ok := agent.ParseVersion(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !(agent.Version{0, 99, 9}).Before(agent.Version{0, 121, 0}) || (agent.Version{2, 1, 240}).Before(agent.Version{2, 1, 240}) {
		t.Error("versions are compared wrongly")
	}
}
