//go:build unix

package terminals_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sidefork/sidefork/test/ptydrive"
)

func TestRunIsTheAgentAsIfItHadBeenTyped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open("sidefork", "run", "--", "wren", "--model", "a b", "-x")
	s.await(`wren in ` + w.repo + ` with ["--model" "a b" "-x"]`)
	s.await("size 100x30")
	s.await("> ")
	every := make([]byte, 0, 256)
	for b := range 256 {
		if b != 0x0d && b != 0x1a && b != 0x1b { // what it acts on
			every = append(every, byte(b))
		}
	}
	s.press(string(every) + "\r")
	s.await("sent:")
	if got := w.keys(); got != string(every)+"\r" {
		t.Errorf("the agent got %q", got)
	}

	if err := s.Resize(120, 40); err != nil {
		t.Fatal(err)
	}
	s.await("size 120x40")

	if err := syscall.Kill(s.PID(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	s.await("got user defined signal 1")

	s.press("quit\r")
	s.await("sent: quit")
	s.exits(7)
}

func TestRunStopsAndGoesOnWithTheAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// A shell with job control, as a person has it.
	w.more = []string{"PS1=$ ", "ENV=", "HISTFILE="}
	if err := os.Symlink("/bin/bash", filepath.Join(w.bin, "bash")); err != nil {
		t.Fatal(err)
	}
	s := w.open("bash", "--norc", "--noprofile", "-i")
	s.press("sidefork run -- wren\r")
	s.await("> ")
	s.press("half\x1a")
	s.await("Stopped")
	s.press("echo the shell $((40+2))\r") // with its own modes: what is typed is shown
	s.await("the shell 42")
	s.press("fg\r")
	s.await("going on")
	s.press(" and half\r")
	s.await("sent: half and half")
	s.press("quit\r")
	s.await("sent: quit")
	s.await("$ ")
	s.press("echo status=$?\r")
	s.await("status=7")
	s.press("exit\r")
	s.exits(0)
}

func TestRunPassesOnHowTheAgentEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open("sidefork", "run", "wren")
	s.await("> ")
	if err := syscall.Kill(s.PID(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.await("got terminated")
	s.exits(3)

	s = w.open("sidefork", "run", "--", "sh", "-c", "echo last words; kill -9 $$")
	s.await("last words")
	s.exits(128 + 9)

	s = w.open("sidefork", "run", "--", "no-such-agent")
	s.await("no-such-agent is not installed")
	s.exits(3)

	if _, errs, status := w.sidefork("run", "--", "wren"); status != 3 || !strings.Contains(errs, "is no terminal") {
		t.Errorf("without a terminal: %d, %s", status, errs)
	}
	if _, errs, status := w.sidefork("run"); status != 2 || !strings.Contains(errs, "wants an agent") {
		t.Errorf("without an agent: %d, %s", status, errs)
	}
}

func TestARecordedTerminalIsListedAndForkedAsADraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open("sidefork", "run", "--", "wren", "--key", "sk-ant-0123456789abcdefghij")
	s.await("> ")
	s.press("remember CODEWORD-HERON\r")
	s.await("sent: remember CODEWORD-HERON")
	s.press("my key is wren-0123456789 \x1b[31mok\r")
	s.await("sent: my key")

	live := until(t, "a live session", func() (session, bool) {
		list := w.sessions()
		return append(list, session{})[0], len(list) == 1 && list[0].Fork.Kind == "transcript"
	})
	if live.Agent != "wren" || live.State != "live" || live.PID != s.PID() || live.Cwd != w.repo || live.Fork.Kind != "transcript" {
		t.Errorf("it is listed as %+v", live)
	}
	var located struct {
		Session session
		Certain bool
	}
	if w.json(&located, "locate", strconv.Itoa(s.PID())); located.Session.ID != live.ID || !located.Certain {
		t.Errorf("it is located as %+v", located)
	}
	s.press("quit\r")
	s.exits(7)

	ended := w.sessions()[0]
	if ended.ID != live.ID || ended.State != "ended" || ended.PID != 0 || ended.Title != "wren at work" {
		t.Errorf("once it has ended it is listed as %+v", ended)
	}
	var filtered struct{ Sessions []session }
	if w.json(&filtered, "sessions", "--agent", "wren"); len(filtered.Sessions) != 1 {
		t.Errorf("by its agent there are %+v", filtered)
	}
	if _, _, status := w.sidefork("sessions", "--agent", "heron"); status != 2 {
		t.Errorf("an agent that nobody knows: %d", status)
	}
	w.isPrivate()
	kept, err := os.ReadFile(ended.Source)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(kept); !strings.Contains(text, "sent: remember CODEWORD-HERON") || strings.Contains(text, "wren-0123456789") ||
		strings.Contains(text, "sk-ant-") || strings.Contains(text, "\x1b") || !strings.Contains(text, "[masked]") {
		t.Errorf("the transcript is %q", text)
	}

	var forked struct {
		Session struct {
			Agent, ID string
			Parent    struct{ Agent, ID string }
		}
		Launch struct {
			Argv []string
			Cwd  string
		}
		Draft string
	}
	w.json(&forked, "fork", "--name", "child", "--session", "wren:"+live.ID)
	if forked.Draft != "" || forked.Session.Parent.ID != live.ID || forked.Session.Agent != "wren" || forked.Session.ID == live.ID {
		t.Errorf("the fork: %+v", forked)
	}
	if joined := strings.Join(forked.Launch.Argv, " "); strings.Contains(joined, "CODEWORD") || strings.Contains(joined, "--key") {
		t.Errorf("the launch: %q", forked.Launch.Argv)
	}
	before := len(w.keys())
	child, err := ptydrive.Start(ptydrive.Program{Argv: forked.Launch.Argv, Dir: forked.Launch.Cwd, Env: w.environment()})
	if err != nil {
		t.Fatal(err)
	}
	c := &screen{t, child}
	t.Cleanup(c.close)
	c.await("wren in " + forked.Launch.Cwd + " with []")
	c.await("pasted]")
	c.await("remember CODEWORD-HERON")
	if typed := w.keys()[before:]; !strings.HasPrefix(typed, "\x1b[200~") || !strings.HasSuffix(typed, "\x1b[201~") || strings.Contains(typed, "\r") ||
		strings.Count(typed, "\x1b") != 2 {
		t.Errorf("the agent got %q", typed)
	}
	c.press("quit\r") // the draft is still to be sent
	c.await("sent:")
	c.exits(7)
	if list := w.sessions(); len(list) != 1 {
		t.Errorf("the child is in the list of its parent's workspace: %+v", list)
	}
}

// isPrivate holds all that is kept to its modes.
func (w *world) isPrivate() {
	w.t.Helper()
	err := filepath.WalkDir(filepath.Join(w.home, ".local", "state", "sidefork"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if want := os.FileMode(0o600); err == nil && d.IsDir() {
			want = 0o700
			if got := info.Mode().Perm(); got != want {
				w.t.Errorf("%s has mode %v", path, got)
			}
		} else if got := info.Mode().Perm(); got != want {
			w.t.Errorf("%s has mode %v", path, got)
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

func TestADraftIsNotTypedIntoWhatReadsLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// It says that it knows pastes, and does not: each line break of one would send a line.
	if err := os.WriteFile(filepath.Join(w.bin, "sparrow"), []byte("#!/bin/sh\nprintf '\\033[?2004hsparrow> '\nread -r line\necho \"got [$line]\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	id := "5f0c8e2a-0000-4000-8000-000000000001"
	folder := filepath.Join(w.home, ".local", "state", "sidefork", "terminals", id)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "draft"), []byte("a\nb"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := w.open("sidefork", "run", "--record", folder, "--", "sparrow")
	s.await("sparrow> ")
	until(t, "what was shown", func() (string, bool) { // by then a draft would have been typed
		text, _ := os.ReadFile(filepath.Join(folder, "transcript"))
		return string(text), strings.Contains(string(text), "sparrow>")
	})
	s.press("mine\r")
	s.await("got [mine]")
	s.await("it is in " + folder + "/draft")
	s.exits(0)
}
