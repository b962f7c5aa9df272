package codex

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

func TestStateIsThatOfTheLockAndWhoHoldsIt(t *testing.T) {
	home, homes := newHome(t, "home")
	state := func() (agent.State, int) {
		found, _ := find(t.Context(), homes, parentID)
		if len(found) != 1 {
			t.Fatalf("got %+v", found)
		}
		return found[0].State, found[0].PID
	}
	if got, pid := state(); got != agent.Ended || pid != 0 {
		t.Errorf("without a lock: %s, %d", got, pid)
	}
	lock := filepath.Join(home, "thread-writer-locks", parentID+".lock")
	if err := os.Mkdir(filepath.Dir(lock), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(lock)
	if err != nil {
		t.Fatal(err)
	}
	want, wantPID := agent.Live, os.Getpid()
	if runtime.GOOS != "linux" {
		want, wantPID = agent.Unknown, 0
	}
	if got, pid := state(); got != want || pid != wantPID {
		t.Errorf("with a lock that this process holds: %s, %d", got, pid)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, pid := state(); got != agent.Unknown || pid != 0 {
		t.Errorf("with a lock that nobody is seen to hold: %s, %d", got, pid)
	}
}

func TestNothingIsCalledEndedByLocksThatCannotBeRead(t *testing.T) {
	home, homes := newHome(t, "home")
	if err := os.WriteFile(filepath.Join(home, "thread-writer-locks"), nil, 0o600); err != nil { // no folder
		t.Fatal(err)
	}
	if found, _ := find(t.Context(), homes, parentID); len(found) != 1 || found[0].State != agent.Unknown {
		t.Errorf("got %+v", found)
	}
}
