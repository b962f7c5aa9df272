//go:build unix

// Package terminals_test runs agents on terminals of sidefork's: `sidefork run`, what it records, drafts, and tmux. The agent
// is one that nobody knows: it takes pastes, and tells what it gets.
package terminals_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/sidefork/sidefork/cmd/sidefork/cli"
	"github.com/sidefork/sidefork/test/ptydrive"
	"github.com/sidefork/sidefork/test/template"
)

// TestMain lets the test's own binary be sidefork, and an agent, by the name that it is started under.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "sidefork":
		os.Exit(cli.Main("0.0.0-test"))
	case "wren":
		os.Exit(wren())
	}
	os.Exit(m.Run())
}

// wren is an agent: it says where it is and of which size its terminal is, knows pastes, and writes every byte that it gets
// to a file. A line that is entered is sent, and answered; some do more.
func wren() int {
	log, err := os.OpenFile(os.Getenv("WREN_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Println(err)
		return 9
	}
	if question := os.Getenv("WREN_ASKS"); question != "" {
		fmt.Printf("%s\n", question)
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Print("\x1b[2J\x1b[H")
	}
	if says := os.Getenv("WREN_FAILS"); says != "" {
		fmt.Println(says)
		return 4
	}
	before, err := term.MakeRaw(0)
	if err != nil {
		fmt.Println(err)
		return 9
	}
	size := func() {
		columns, rows, _ := term.GetSize(1)
		fmt.Printf("size %dx%d\r\n", columns, rows)
	}
	changed, asked := make(chan os.Signal, 4), make(chan os.Signal, 4)
	signal.Notify(changed, syscall.SIGWINCH)
	signal.Notify(asked, syscall.SIGTERM, syscall.SIGUSR1)
	go func() {
		for {
			select {
			case <-changed:
				size()
			case s := <-asked:
				fmt.Printf("got %v\r\n", s)
				if s == syscall.SIGTERM {
					_ = term.Restore(0, before)
					os.Exit(3)
				}
			}
		}
	}()
	here, _ := os.Getwd()
	fmt.Printf("\x1b]0;wren at work\x07wren in %s with %q\r\n", here, os.Args[1:])
	size()
	fmt.Printf("\x1b[?2004h> ")
	var line, paste []byte
	buffer := make([]byte, 4096)
	for {
		n, err := os.Stdin.Read(buffer)
		if err != nil {
			return 8
		}
		_, _ = log.Write(buffer[:n])
		for _, b := range buffer[:n] {
			if paste = append(paste, b); bytes.HasSuffix(paste, []byte("\x1b[201~")) && bytes.HasPrefix(paste, []byte("\x1b[200~")) {
				text := strings.TrimSuffix(strings.TrimPrefix(string(paste), "\x1b[200~"), "\x1b[201~")
				fmt.Printf("[%d pasted] %s", strings.Count(text, "\n")+1, strings.ReplaceAll(text, "\n", "\r\n> "))
				paste = nil
				continue
			}
			if bytes.HasPrefix(paste, []byte("\x1b[200~")) || bytes.HasPrefix([]byte("\x1b[200~"), paste) {
				continue
			}
			paste = nil
			switch b {
			case 0x1a: // Ctrl-Z
				_ = term.Restore(0, before)
				fmt.Print("stopping\r\n")
				goesOn := make(chan os.Signal, 1)
				signal.Notify(goesOn, syscall.SIGCONT)
				_ = unix.Kill(0, unix.SIGTSTP)
				<-goesOn // the kernel may let a thread go on for a moment
				signal.Stop(goesOn)
				_, _ = term.MakeRaw(0)
				fmt.Print("going on\r\n")
			case '\r':
				fmt.Printf("\r\nsent: %s\r\n> ", line)
				if string(line) == "quit" {
					_ = term.Restore(0, before)
					return 7
				}
				line = nil
			default:
				line = append(line, b)
				fmt.Printf("%c", b)
			}
		}
	}
}

// world is all that a test touches.
type world struct {
	t              *testing.T
	top, home, bin string
	repo, log      string
	more           []string // of the environment
}

func newWorld(t *testing.T) *world {
	t.Helper()
	// Not t.TempDir: tmux puts its socket there, whose path must be short.
	top, err := os.MkdirTemp("", "sf-")
	if err == nil {
		top, err = filepath.EvalSymlinks(top)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(top); err != nil {
			t.Error(err)
		}
	})
	w := &world{t: t, top: top, home: filepath.Join(top, "home"), bin: filepath.Join(top, "bin"), repo: filepath.Join(top, "the repo"), log: filepath.Join(top, "keys")}
	if err := repositoryOf(w.repo, ""); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{w.home, w.bin} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"sidefork", "wren"} {
		if err := os.Symlink(self, filepath.Join(w.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *world) environment() []string {
	return append([]string{
		"PATH=" + w.bin + ":" + os.Getenv("PATH"), "HOME=" + w.home, "TMPDIR=" + w.top, "TMUX_TMPDIR=" + w.top, "LANG=C.UTF-8", "TERM=xterm-256color",
		"GIT_CONFIG_NOSYSTEM=1", "WREN_LOG=" + w.log, "WREN_API_KEY=wren-0123456789", "GORACE=atexit_sleep_ms=0",
	}, w.more...)
}

// sidefork runs it without a terminal and gives what it says.
func (w *world) sidefork(args ...string) (out, errs string, status int) {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.bin, "sidefork"), args...)
	cmd.Dir, cmd.Env = w.repo, w.environment()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func (w *world) json(into any, args ...string) {
	w.t.Helper()
	out, errs, status := w.sidefork(append(args, "--json")...)
	if status != 0 {
		w.t.Fatalf("sidefork %q ends with %d: %s", args, status, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		w.t.Fatalf("sidefork %q says %s: %v", args, out, err)
	}
}

// open starts a command on a terminal, in the repository.
func (w *world) open(argv ...string) *screen {
	w.t.Helper()
	p, err := ptydrive.Start(ptydrive.Program{Argv: append([]string{filepath.Join(w.bin, argv[0])}, argv[1:]...), Dir: w.repo, Env: w.environment(), Columns: 100, Rows: 30})
	if err != nil {
		w.t.Fatal(err)
	}
	s := &screen{w.t, p}
	w.t.Cleanup(s.close)
	return s
}

type screen struct {
	t *testing.T
	*ptydrive.Terminal
}

func (s *screen) close() {
	if err := s.Close(); err != nil {
		s.t.Error(err)
	}
}

func limit(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func (s *screen) await(text string) {
	s.t.Helper()
	if _, err := s.Await(limit(s.t), text); err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) press(keys string) {
	s.t.Helper()
	if err := s.Press(keys); err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) exits(want int) {
	s.t.Helper()
	if got, err := s.Wait(limit(s.t)); err != nil || got != want {
		s.t.Errorf("exit status %d, not %d (%v)", got, want, err)
	}
}

// keys are all bytes that the agent got.
func (w *world) keys() string {
	text, err := os.ReadFile(w.log)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// repositoryOf writes a repository with a commit.
var repositoryOf = template.Of(func(top, _ string) error {
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"-c", "user.name=T", "-c", "user.email=t@example.invalid", "commit", "-q", "--allow-empty", "-m", "one"}} {
		if said, err := exec.Command("git", append([]string{"-C", top}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %q: %w\n%s", args, err, said)
		}
	}
	return nil
})

type session struct {
	Agent, ID, Title, State, Cwd, Source string
	PID                                  int
	Fork                                 struct {
		Kind   string
		Reason struct{ Code string }
	}
}

func (w *world) sessions() []session {
	w.t.Helper()
	var list struct {
		Sessions []session
		Problems []struct{ Source, Message string }
	}
	w.json(&list, "sessions")
	if len(list.Problems) > 0 {
		w.t.Errorf("problems: %v", list.Problems)
	}
	return list.Sessions
}

// until waits for something that has no message of its own.
func until[T any](t *testing.T, what string, look func() (T, bool)) T {
	t.Helper()
	ctx := limit(t)
	for {
		found, ok := look()
		if ok {
			return found
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %+v", what, found)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
