package sessions

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/process"
)

// running starts a program called name in a folder that does what an agent does to be known: opens a file, if it is given
// one. It ends with the test, or by kill.
func running(t *testing.T, p place, name, cwd, open string, arguments ...string) *exec.Cmd {
	t.Helper()
	script := p.write("program", "", `[ -z "$OPEN" ] || exec 3>>"$OPEN"; echo ready; read -r end`)
	cmd := exec.Command("sh", append([]string{script}, arguments...)...)
	cmd.Args[0] = name
	cmd.Dir, cmd.Env = cwd, []string{"PATH=" + os.Getenv("PATH"), "OPEN=" + open}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait() // killed, or at the end of its input
	})
	return cmd
}

// end kills a process and waits until it is gone.
func end(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

func (p place) register(pid, n int, cwd, start, status string) {
	p.t.Helper()
	p.write(filepath.Join(".claude", "sessions", fmt.Sprintf("%d.json", pid)), "",
		fmt.Sprintf(`{"pid":%d,"sessionId":%q,"cwd":%q,"startedAt":1,"procStart":%q,"status":%q}`, pid, sid(n), cwd, start, status))
}

func startOf(t *testing.T, pid int) string {
	t.Helper()
	all, err := process.Below(pid)
	if err != nil || len(all) == 0 {
		t.Fatalf("process %d: %v, %v", pid, all, err)
	}
	return all[0].Start
}

// located is what Locate says, in words.
func located(t *testing.T, c Config, pid int) string {
	t.Helper()
	found, err := Locate(t.Context(), c, pid)
	if err != nil {
		t.Fatal(err)
	}
	if found == nil {
		return "none"
	}
	return fmt.Sprintf("%s %s %s %s certain=%v", found.Session.ID.Agent, found.Session.ID.ID[:8], found.Session.State, found.Session.Status, found.Certain)
}

func TestLocateKnowsClaudeByItsEntryUntilItIsKilled(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	p.claude(app, 1, "", talk(app, 1, "one", "2026-05-01T10:00:00Z"))
	cmd := running(t, p, "node", app, "")
	pid := cmd.Process.Pid
	p.register(pid, 1, app, startOf(t, pid), "waiting")
	const want = "claude 00000001 live waiting certain=true"
	if got := located(t, p.config(), pid); got != want {
		t.Errorf("by its own number: %s", got)
	}
	if got := located(t, p.config(), os.Getpid()); got != want {
		t.Errorf("by its parent's number: %s", got)
	}
	if no, err := Guard(t.Context(), p.config(), "posix", "claude --resume "+sid(1)); err != nil || no == nil || no.Code != "sessionInUse" {
		t.Errorf("the guard says %v, %v", no, err)
	}
	end(t, cmd)
	for _, number := range []int{pid, os.Getpid()} {
		if got := located(t, p.config(), number); got != "none" {
			t.Errorf("after it was killed, under %d: %s", number, got)
		}
	}
	if no, err := Guard(t.Context(), p.config(), "posix", "claude --resume "+sid(1)); err != nil || no != nil {
		t.Errorf("after it was killed the guard says %v, %v", no, err)
	}
}

func TestLocateIsNotTakenInByANumberThatIsGivenOutAgain(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	p.claude(app, 1, "", talk(app, 1, "one", "2026-05-01T10:00:00Z"))
	pid := running(t, p, "vim", app, "").Process.Pid
	p.register(pid, 1, app, "1", "busy") // left behind by a process of that number that was killed
	if got := located(t, p.config(), pid); got != "none" {
		t.Errorf("got %s", got)
	}
	// The same by a table in which the number has another start.
	c := p.config()
	p.register(7, 1, app, "100", "busy")
	for start, want := range map[string]string{"100": "claude", "101": "none"} {
		c.Below = func(int) ([]process.Process, error) { return []process.Process{{PID: 7, Start: start}}, nil }
		if got := located(t, c, 7); got[:min(len(got), 6)] != want {
			t.Errorf("started at %s: %s", start, got)
		}
	}
}

func TestLocateKnowsCodexByWhatItHasOpen(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	rollout := func(n int) string {
		return p.codex(n, "2026-05-01T10:00:00Z", fmt.Sprintf(`{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":%q,"cwd":%q,"source":"cli"}}`+"\n", sid(n), app))
	}
	first := rollout(1)
	rollout(2)
	lock := p.write(filepath.Join(".codex", "thread-writer-locks", sid(1)+".lock"), "", "")
	cmd := running(t, p, "codex", app, first)
	if got := located(t, p.config(), cmd.Process.Pid); got != "codex 00000001 live idle certain=true" {
		t.Errorf("got %s", got)
	}
	daemon := running(t, p, "codex", app, first, "app-server")
	if got := located(t, p.config(), daemon.Process.Pid); got != "none" {
		t.Errorf("the shared server: %s", got)
	}
	end(t, cmd)
	end(t, daemon)
	if got := located(t, p.config(), os.Getpid()); got != "none" {
		t.Errorf("after it was killed: %s", got)
	}
	// Killed, it leaves its lock: whether something else has the session is not known, and it is not called ended.
	s, err := Find(t.Context(), p.config(), ID{Agent: "codex", ID: sid(1)})
	if err != nil || s.State != agent.Unknown {
		t.Errorf("with a lock that nobody holds: %s, %v", s.State, err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
}

func TestLocateGuessesByArgumentsFolderAndTimeAndSaysSo(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	p.claude(app, 1, "", talk(app, 1, "long ago", "2026-01-01T10:00:00Z"))
	bare := running(t, p, "claude", app, "")
	if got := located(t, p.config(), bare.Process.Pid); got != "none" {
		t.Errorf("no session is as young as the process: %s", got)
	}
	p.claude(app, 2, "", talk(app, 2, "just begun", "2100-01-01T10:00:00Z"))
	if got := located(t, p.config(), bare.Process.Pid); got != "claude 00000002 unknown  certain=false" {
		t.Errorf("by folder and time: %s", got)
	}
	end(t, bare)
	named := running(t, p, "claude", app, "", "--resume", sid(1))
	if got := located(t, p.config(), named.Process.Pid); got != "claude 00000001 unknown  certain=false" {
		t.Errorf("by its arguments: %s", got)
	}
	other := running(t, p, "vim", app, "")
	if got := located(t, p.config(), other.Process.Pid); got != "none" {
		t.Errorf("a program that is no agent: %s", got)
	}
}

func TestLocateTakesTheForegroundThenTheNearest(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	for n := 1; n <= 3; n++ {
		p.claude(app, n, "", talk(app, n, "x", fmt.Sprintf("2026-05-0%dT10:00:00Z", n)))
		p.register(100+n, n, app, "5", "idle")
	}
	at := func(pid, depth int, foreground bool) process.Process {
		return process.Process{PID: pid, Depth: depth, Foreground: foreground, Start: "5"}
	}
	for _, test := range []struct {
		name string
		all  []process.Process
		want string
	}{
		{"one stopped, one in front", []process.Process{at(101, 1, false), at(102, 1, true)}, "00000002 true"},
		{"one started by the other", []process.Process{at(103, 3, true), at(101, 1, true)}, "00000001 true"},
		{"two side by side", []process.Process{at(101, 1, false), at(102, 1, false)}, "00000001 false"},
	} {
		c := p.config()
		c.Below = func(int) ([]process.Process, error) { return slices.Clone(test.all), nil }
		found, err := Locate(t.Context(), c, 1)
		if err != nil || found == nil {
			t.Fatalf("%s: %v, %v", test.name, found, err)
		}
		if got := fmt.Sprintf("%s %v", found.Session.ID.ID[:8], found.Certain); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestLocateSaysWhereProcessesCannotBeRead(t *testing.T) {
	c := newPlace(t).config()
	c.Below = func(int) ([]process.Process, error) { return nil, os.ErrPermission }
	_, err := Locate(t.Context(), c, 1)
	refused(t, err, "processesUnknown")
}
