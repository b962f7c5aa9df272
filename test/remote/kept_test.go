//go:build linux

package remote

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWhatIsKeptIsForTheUserAlone: after a fork, a list and an agent in tmux, of all that lies in the user's state.
func TestWhatIsKeptIsForTheUserAlone(t *testing.T) {
	b := theBox(t)
	s := newScene(t, b)
	s.agentThere(t)
	ssh := b.ssh(t, b.port, "")
	if out, diagnostics, status := line(t, ssh, "fork", s.parent, "--name", s.branch, "--dir", s.child, "--latest", "--launch", "none", "--host", "box"); status != 0 {
		t.Fatalf("exit status %d\n%s%s", status, out, diagnostics)
	}
	count := 0
	state := filepath.Join(b.home, ".local", "state")
	err := filepath.WalkDir(filepath.Join(state, "sidefork"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil // it is gone again
		}
		count++
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			t.Errorf("%s is %v", path, mode)
		}
		return nil
	})
	if err != nil || count < 3 {
		t.Errorf("%d things are kept, %v", count, err)
	}
}
