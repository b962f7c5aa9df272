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
