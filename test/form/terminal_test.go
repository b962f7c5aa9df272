//go:build unix

package form

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/ptydrive"
	"github.com/sidefork/sidefork/test/snapshot"
	"github.com/sidefork/sidefork/test/zed"
)

// person sits at a terminal with `sidefork dialog` on it: in lines, or on the whole screen.
type person struct {
	*scene
	terminal *ptydrive.Terminal
}

func (s *scene) sit(args ...string) *person {
	s.t.Helper()
	return s.face(80, 40, append([]string{"--accessible"}, args...)...)
}

// face is sit before the whole screen.
func (s *scene) face(columns, rows uint16, args ...string) *person {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	return s.start(columns, rows, append([]string{self, "dialog"}, args...)...)
}

// start has a program on the terminal, below which this test's own program is sidefork.
func (s *scene) start(columns, rows uint16, argv ...string) *person {
	s.t.Helper()
	s.before = s.take()
	env := append(os.Environ(), "TERM=xterm-256color", "ACCESSIBLE=", asCommandLine+"=1", "HOME="+s.home, "PATH="+filepath.Join(s.home, "bin")+":"+os.Getenv("PATH"), "XDG_STATE_HOME=", "XDG_CONFIG_HOME=", "CLAUDE_CONFIG_DIR=", "CODEX_HOME=")
	terminal, err := ptydrive.Start(ptydrive.Program{Argv: argv, Dir: s.top, Env: env, Columns: columns, Rows: rows})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = terminal.Close() })
	return &person{s, terminal}
}

func (p *person) sees(text string) {
	p.t.Helper()
	if _, err := p.terminal.Await(soon(p.t), text); err != nil {
		p.t.Fatal(err)
	}
}

// enters types a line; it is not waited for, since what comes next is.
func (p *person) enters(text string) {
	p.t.Helper()
	if err := p.terminal.Press(text + ptydrive.Enter); err != nil {
		p.t.Fatal(err)
	}
}

// presses gives keys, or what a mouse sends.
func (p *person) presses(keys string) {
	p.t.Helper()
	if err := p.terminal.Press(keys); err != nil {
		p.t.Fatal(err)
	}
}

// forks presses Ctrl+S, and again where that was too early, until a text is there.
func (p *person) forks(text string) {
	p.t.Helper()
	for again := true; again; {
		p.presses("\x13")
		const early = "known now: Ctrl+S forks"
		found, err := p.terminal.Await(soon(p.t), text, early)
		if err != nil {
			p.t.Fatal(err)
		}
		again = found == early
	}
}

func (p *person) ends(status int) {
	p.t.Helper()
	if got, err := p.terminal.Wait(soon(p.t)); err != nil || got != status {
		p.t.Errorf("exit status %d, %v; want %d", got, err, status)
	}
}

func TestADialogInATerminalEndsInTheFork(t *testing.T) {
	s := newScene(t, "setup")
	s.converse(elder, "The elder", 9)
	s.converse(younger, "The younger \x1b[2J", 10)
	s.write(filepath.Join(s.top, "a"), "changed\n")
	s.write(filepath.Join(s.home, "bin", "claude"), "#!/bin/sh\necho '2.1.332 (Claude Code)'\ntest \"$1\" = --version || { read word; echo \"agent: $word in $PWD with $*\"; }\n")
	p := s.sit()
	p.sees("Bring uncommitted changes (1 modified): yes")
	p.sees("Run the setup of .sidefork.json: Do not run it")
	p.sees("$ touch ran")
	p.sees("Enter forks")
	p.enters("1")
	p.sees("2 claude · The elder")
	p.enters("2")
	p.sees("Session to fork: claude · The elder")
	p.enters("2")
	p.sees("empties it")
	p.enters("two words")
	p.sees("cannot be a branch")
	p.enters("")
	p.sees("cannot be a branch") // again: nothing is forked
	p.enters("2")
	p.sees("empties it")
	p.enters("try")
	p.sees("Name of the new branch: try")
	p.enters("5")
	p.sees("part of its name")
	p.enters("old")
	p.sees("1 older")
	p.enters("1")
	p.sees("Bring uncommitted changes (1 modified): no")
	p.sees("own commit")
	p.sees("Start from: older")
	p.enters("4")
	p.sees("own commit")
	p.enters("5")
	p.sees("part of its name")
	p.enters("")
	p.sees("1 The commit of main")
	p.enters("1")
	p.sees("Bring uncommitted changes (1 modified): yes")
	p.enters("6")
	p.sees("2 Run it")
	p.enters("2")
	p.sees("Run it (not approved yet: this once)")
	p.enters("m")
	p.sees("Where it works: In a new worktree")
	p.enters("p")
	p.sees("Plan for a fork of")
	p.sees("touch ran")
	p.sees("Enter forks")
	s.untouched()
	p.enters("")
	p.sees("Forked into try.")
	child := filepath.Join(filepath.Dir(s.top), "app-worktrees", "try")
	p.enters("hello") // is the agent's, all of it
	p.sees("agent: hello in " + child + " with --resume " + elder)
	p.ends(0)
	if err := os.Remove(filepath.Join(child, "ran")); err != nil {
		t.Errorf("the setup did not run: %v", err)
	}
	for _, difference := range compare.Trees(s.top, child, compare.Options{Index: true}) {
		t.Error(difference)
	}
	s.untouched(snapshot.Branch("try"), snapshot.Worktrees())
}

func TestADialogThatIsLeftWritesNothing(t *testing.T) {
	s := newScene(t, "")
	for _, key := range []string{"q" + ptydrive.Enter, ptydrive.CtrlC, ptydrive.CtrlD} {
		p := s.sit()
		p.sees("Enter forks")
		if err := p.terminal.Press(key); err != nil {
			t.Fatal(err)
		}
		p.ends(130)
		s.untouched()
	}
	p := s.sit(filepath.Join(s.home, "bin"))
	p.sees("notARepository")
	p.ends(3)
}

func TestADialogOnTheScreenIsFilledInByKeysAndMouseAndEndsInTheFork(t *testing.T) {
	s := newScene(t, "setup")
	s.converse(elder, "The elder", 9)
	s.converse(younger, "The younger \x1b[2J", 10)
	s.write(filepath.Join(s.top, "a"), "changed\n")
	s.write(filepath.Join(s.home, "bin", "claude"), "#!/bin/sh\necho '2.1.332 (Claude Code)'\ntest \"$1\" = --version || { read word; echo \"agent: $word in $PWD with $*\"; }\n")
	p := s.face(80, 40)
	p.sees("[x] Bring uncommitted changes (1 modified)")
	p.sees("$ touch ran")
	p.sees("[ Fork ]")
	p.presses(" x\t") // in the field of the name
	p.sees("cannot be a branch")
	if err := p.terminal.Resize(40, 12); err != nil {
		t.Fatal(err)
	}
	p.sees("Name of the new branch")
	p.forks("> Name of the new branch") // it is wrong, and gets the keyboard
	p.presses("\x15try")
	p.sees("try")
	p.presses("\x1b[<0;5;1M\x1b[<0;5;1m") // the mouse, on the first line: the session, at the top again
	p.sees("elder")
	p.presses("\x1b[B\r")
	p.sees("elder")
	s.untouched()
	p.forks("Forked into try.")
	child := filepath.Join(filepath.Dir(s.top), "app-worktrees", "try")
	p.enters("hello")
	p.sees("agent: hello in " + child + " with --resume " + elder)
	p.ends(0)
	for _, difference := range compare.Trees(s.top, child, compare.Options{Index: true}) {
		t.Error(difference)
	}
	s.untouched(snapshot.Branch("try"), snapshot.Worktrees())
}

func TestADialogOnTheScreenThatIsLeftWritesNothing(t *testing.T) {
	s := newScene(t, "")
	for _, key := range []string{ptydrive.CtrlC, "\x1b"} {
		p := s.face(40, 10)
		p.sees("Name of the new branch")
		p.presses("x" + key)
		p.sees("nothing is left behind")
		p.ends(130)
		s.untouched()
	}
}

func TestTheZedTaskForksByKeys(t *testing.T) {
	s := newScene(t, "")
	s.converse(elder, "The elder", 9)
	s.write(filepath.Join(s.home, "bin", "claude"), "#!/bin/sh\necho '2.1.332 (Claude Code)'\ntest \"$1\" = --version || echo \"agent in $PWD with $*\"\n")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(s.home, "bin", "sidefork")); err != nil {
		t.Fatal(err)
	}
	tasks, err := zed.Tasks("../../editors/zed/tasks.json")
	if err != nil {
		t.Fatal(err)
	}
	await := map[string]string{"dialog": "Session to fork: claude · The elder", "dialog --beside": "Session to fork: No agent", "sessions": "The elder", "compare": "noParent"}
	for _, task := range tasks {
		resolved, _, err := task.Resolve(map[string]string{"ZED_WORKTREE_ROOT": s.top})
		if err != nil {
			t.Fatal(err)
		}
		line, err := resolved.Line()
		if err != nil {
			t.Fatal(err)
		}
		p := s.start(100, 40, "sh", "-c", line) // in the folder of the scene, which is the task's
		if resolved.Cwd != s.top {
			t.Errorf("%s runs in %s", task.Label, resolved.Cwd)
		}
		words := strings.TrimPrefix(line, "sidefork ")
		p.sees(await[words])
		switch words {
		case "dialog":
			p.presses("\x15try")
			p.forks("Forked into try.")
			p.sees("agent in " + filepath.Join(filepath.Dir(s.top), "app-worktrees", "try") + " with --resume " + elder)
			p.ends(0)
		case "dialog --beside":
			p.presses(ptydrive.CtrlC)
			p.ends(130)
		case "sessions":
			p.ends(0)
		case "compare":
			p.ends(3)
		}
	}
}
