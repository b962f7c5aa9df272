package claude

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

const session = "3309aa6e-79d4-40b8-818f-70e5ac72c124"

// register writes an entry as the process pid would, with more members.
func register(t *testing.T, home string, pid int, started, status, more string) {
	t.Helper()
	folder := filepath.Join(home, "sessions")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	entry := fmt.Sprintf(`{"pid":%d,"sessionId":%q,"cwd":"/home/dev/src/main","startedAt":1796025802163,"procStart":%q,"name":"a name","status":%q%s}`,
		pid, session, started, status, more)
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.json", pid)), []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ownStart is when this process started, as /proc says it.
func ownStart(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("whether a process runs is only told on Linux")
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])[19])
}

func TestStateIsThatOfTheProcess(t *testing.T) {
	start, pid := ownStart(t), os.Getpid()
	tests := []struct {
		name   string
		pid    int
		start  string
		status string
		more   string
		want   agent.State
	}{
		{name: "running and waiting", pid: pid, start: start, status: "waiting", want: agent.Live},
		{name: "its number was given out again", pid: pid, start: "1", status: "busy", want: agent.Ended},
		{name: "killed", pid: 1 << 30, start: start, status: "busy", want: agent.Ended},
		{name: "an entry without a start", pid: pid, status: "idle", want: agent.Unknown},
		{name: "in another container", pid: pid, start: start, status: "idle", more: `,"pidDomain":"linux:0:pid:[1]"`, want: agent.Unknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			home, homes := newHome(t)
			put(t, home, "/home/dev/src/main", session, []byte(message("user", `"x"`, "/home/dev/src/main", "2026-01-01T00:00:00Z")))
			register(t, home, test.pid, test.start, test.status, test.more)
			sessions, _ := list(t.Context(), nil, homes, nil)
			if len(sessions) != 1 || sessions[0].State != test.want {
				t.Fatalf("got %+v", sessions)
			}
			s := sessions[0]
			if live := test.want == agent.Live; live != (s.PID == pid) || live != (s.Status == test.status) {
				t.Errorf("pid %d, status %q", s.PID, s.Status)
			}
		})
	}
}

func TestRegistryReadsTheRealEntryAndNoKeys(t *testing.T) {
	home, _ := newHome(t)
	entry, err := os.ReadFile(filepath.Join(fixtures, "sessions-registry-example.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"8875.json": string(entry), "8875.abc.key": "secret", "8876.json": strings.Replace(string(entry), session, "00000000-0000-4000-8000-000000000000", 1), "8877.json": "{", "8878.json": strings.Repeat(" ", entryLimit+1),
	} {
		if err := os.WriteFile(filepath.Join(home, "sessions", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := readRegistry(home).byID
	if p := found[session]; len(found) != 1 || p.PID != 8875 || p.Status != "idle" || p.Name != "forked live" || p.ProcStart != "132620" {
		t.Errorf("got %+v", found)
	}
}

func TestARunningSessionWithoutAPromptIsListedAndCannotBeForked(t *testing.T) {
	home, homes := newHome(t)
	register(t, home, os.Getpid(), ownStart(t), "idle", "")
	sessions, _ := list(t.Context(), nil, homes, []string{"/home/dev/src"})
	found, _ := find(t.Context(), homes, session)
	for _, got := range [][]agent.Session{sessions, found} {
		if len(got) != 1 || got[0].State != agent.Live || got[0].NotForkable == nil || got[0].NotForkable.Code != "sessionEmpty" {
			t.Errorf("got %+v", got)
		}
	}
	if sessions, _ = list(t.Context(), nil, homes, []string{"/home/dev/other"}); len(sessions) != 0 {
		t.Errorf("listed elsewhere: %+v", sessions)
	}
}

func TestAwaitStartSeesTheChild(t *testing.T) {
	home, _ := newHome(t)
	start := ownStart(t)
	launch := agent.Launch{Session: agent.ID{Agent: "claude", ID: session}}
	seen := make(chan agent.Started)
	go func() {
		started, err := awaitStart(t.Context(), agent.Session{Home: home}, launch)
		if err != nil {
			t.Error(err)
		}
		seen <- started
	}()
	register(t, home, os.Getpid(), start, "busy", "")
	if got := <-seen; got.PID != os.Getpid() || got.Session.ID != session {
		t.Errorf("got %+v", got)
	}
}

func TestAwaitStartEndsWithItsContext(t *testing.T) {
	home, _ := newHome(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := awaitStart(ctx, agent.Session{Home: home}, agent.Launch{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestNothingIsCalledEndedByARegistryThatCannotBeRead(t *testing.T) {
	start := ownStart(t)
	home, homes := newHome(t)
	put(t, home, "/home/dev/src/main", session, []byte(message("user", `"x"`, "/home/dev/src/main", "2026-01-01T00:00:00Z")))
	state := func() agent.State {
		t.Helper()
		sessions, _ := list(t.Context(), nil, homes, nil)
		if len(sessions) != 1 {
			t.Fatalf("got %+v", sessions)
		}
		return sessions[0].State
	}
	if got := state(); got != agent.Ended {
		t.Errorf("without a registry: %s", got)
	}
	register(t, home, 1<<30, start, "busy", "")
	folder := filepath.Join(home, "sessions")
	for _, test := range []struct {
		name, file, content string
		want                agent.State
	}{
		{"an entry of no process", fmt.Sprintf("%d.json", 1<<30), "{", agent.Ended},
		{"an entry of a process that runs", fmt.Sprintf("%d.json", os.Getpid()), "{", agent.Unknown},
	} {
		if err := os.WriteFile(filepath.Join(folder, test.file), []byte(test.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := state(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	// Not even a folder: root reads every folder that there is.
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != agent.Unknown {
		t.Errorf("a registry that is a file: %s", got)
	}
}
