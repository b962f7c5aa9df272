package codex

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

func TestASessionThatOnlyTheDaemonHasLoadedIsNotCalledLive(t *testing.T) {
	home, homes := newHome(t, "home")
	lock := filepath.Join(home, "thread-writer-locks", parentID+".lock")
	if err := os.Mkdir(filepath.Dir(lock), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]agent.State{"app-server": agent.Unknown, "tui": agent.Live} {
		holder := exec.Command("sh", "-c", `exec 3<"$1"; echo ready; read -r end`, name, lock)
		stdin, err := holder.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := holder.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := holder.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
			t.Error(err)
		}
		found, _ := find(t.Context(), homes, parentID)
		if len(found) != 1 || found[0].State != want || (found[0].PID == holder.Process.Pid) != (want == agent.Live) {
			t.Errorf("%s: %+v", name, found)
		}
		stdin.Close()
		_ = holder.Wait() // read at the end of its input fails
	}
}

// TestWhoOnlyReadsARolloutIsNotAtIt: a list reads it, as does any process that is being started from ours meanwhile.
func TestWhoOnlyReadsARolloutIsNotAtIt(t *testing.T) {
	home, homes := newHome(t, "home")
	found, _ := find(t.Context(), homes, parentID)
	lock := filepath.Join(home, "thread-writer-locks", parentID+".lock")
	if err := os.Mkdir(filepath.Dir(lock), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[int]agent.State{os.O_RDONLY: agent.Unknown, os.O_RDWR: agent.Live, os.O_WRONLY | os.O_APPEND: agent.Live} {
		f, err := os.OpenFile(found[0].Source, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := find(t.Context(), homes, parentID); again[0].State != want {
			t.Errorf("open with flags %o: %s", flag, again[0].State)
		}
		f.Close()
	}
}
