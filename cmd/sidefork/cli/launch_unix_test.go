//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/sidefork/sidefork/commands"
)

// launchVariable makes this test's binary be a sidefork that hands its terminal to an agent: a shell with this script.
const launchVariable = "SIDEFORK_TEST_AGENT_SCRIPT"

func TestMain(m *testing.M) {
	script := os.Getenv(launchVariable)
	if script == "" {
		os.Exit(m.Run())
	}
	value := "set"
	status, err := runAgent(context.Background(), commands.Launch{
		Argv: []string{"/bin/sh", "-c", script}, Cwd: "/", Env: map[string]*string{"NEW": &value, "GONE": nil, launchVariable: nil},
	})
	if err != nil {
		fmt.Println(err)
		status = 99
	}
	os.Exit(status)
}

// onTerminal runs an agent's script under runAgent on a pseudo-terminal.
func onTerminal(t *testing.T, script string) (process *os.Process, terminal *os.File, said *screen) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), launchVariable+"="+script, "GONE=still here")
	if terminal, err = pty.Start(cmd); err != nil {
		t.Fatal(err)
	}
	said = &screen{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(said, terminal) // ends with EIO, when the last one has closed the other end
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-read
		_ = terminal.Close()
	})
	return cmd.Process, terminal, said
}

// screen is what was written, with a wait for some of it.
type screen struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
	return s.text.Write(p)
}

func (s *screen) await(t *testing.T, text string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		s.mu.Lock()
		seen := s.text.String()
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		if strings.Contains(seen, text) {
			return
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("%q did not come; seen:\n%s", text, seen)
		}
	}
}

func exitOf(t *testing.T, p *os.Process) int {
	t.Helper()
	state, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return state.ExitCode()
}

func TestAgentGetsFolderEnvironmentAndTerminalAndItsStatusIsOurs(t *testing.T) {
	p, _, said := onTerminal(t, `pwd; echo "new=$NEW gone=$GONE"; test -t 0 && test -t 1 && test -t 2 && exit 7`)
	said.await(t, "new=set gone=\r\n")
	if status := exitOf(t, p); status != 7 {
		t.Errorf("exit status %d", status)
	}
}

func TestCtrlCReachesTheAgentAndLeavesUsWaiting(t *testing.T) {
	p, terminal, said := onTerminal(t, `trap 'trap "exit 5" INT; echo one' INT; echo ready; while :; do sleep 0.05; done`)
	said.await(t, "ready")
	if _, err := terminal.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	said.await(t, "one")
	if _, err := terminal.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	if status := exitOf(t, p); status != 5 {
		t.Errorf("exit status %d", status)
	}
}

func TestASignalToUsAloneIsPassedOn(t *testing.T) {
	p, _, said := onTerminal(t, `trap 'exit 6' TERM; echo ready; while :; do sleep 0.05; done`)
	said.await(t, "ready")
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := exitOf(t, p); status != 6 {
		t.Errorf("exit status %d", status)
	}
}

func TestAKilledAgentIsToldAsAShellTellsIt(t *testing.T) {
	p, _, _ := onTerminal(t, `kill -9 $$`)
	if status := exitOf(t, p); status != 128+9 {
		t.Errorf("exit status %d", status)
	}
}

func TestWeStopAndGoOnWithTheAgent(t *testing.T) {
	p, _, said := onTerminal(t, `kill -STOP $$; echo on again; exit 4`)
	var status unix.WaitStatus
	if _, err := unix.Wait4(p.Pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("we did not stop: %v, %v", status, err)
	}
	if err := p.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	said.await(t, "on again")
	if status := exitOf(t, p); status != 4 {
		t.Errorf("exit status %d", status)
	}
}

func TestAnAgentThatIsNotThereIsAnError(t *testing.T) {
	for _, argv := range [][]string{nil, {"/nonexistent/claude"}} {
		if _, err := runAgent(t.Context(), commands.Launch{Argv: argv, Cwd: "/"}); err == nil {
			t.Errorf("%v was started", argv)
		}
	}
}

func TestASecondCtrlCDoesNotSkipTheRollBack(t *testing.T) {
	c := newConsole(t, nil)
	said := &screen{}
	c.line.err, c.line.errTerminal = said, true
	c.line.run = func(ctx context.Context, _ *commands.Env, _ string, _ []byte, _ commands.Progress) (any, *commands.Failure) {
		interrupt := func() {
			if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
				t.Error(err)
			}
		}
		interrupt()
		<-ctx.Done()
		said.await(t, "is taken back")
		interrupt()
		said.await(t, "must not be cut short")
		return commands.Cancelled{Status: "cancelled"}, nil // after a roll-back that took its time
	}
	if status := c.line.main([]string{"carry", "a", "b"}); status != exitCancelled {
		t.Errorf("exit status %d", status)
	}
}

func TestEveryResultThatIsPrintedIsOneLineOfJSON(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.fork": forked()})
	c.line.main([]string{"fork", "--name", "x", "--no-session", "--json"})
	if lines := strings.Count(c.out.String(), "\n"); lines != 1 || !json.Valid(c.out.Bytes()) {
		t.Errorf("%d lines: %s", lines, c.out.String())
	}
}
