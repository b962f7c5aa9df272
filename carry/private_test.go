package carry

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTheNextStartSweepsWhatAKilledProcessLeftInTheTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	make := func(aged bool) privateFolder {
		p, err := newPrivateFolder()
		if err != nil {
			t.Fatal(err)
		}
		if aged {
			old := time.Now().Add(-2 * settled)
			if err := os.Chtimes(p.path, old, old); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	running, young, dead := make(true), make(false), make(true)
	young.held.release()
	dead.held.release()
	stranger := filepath.Join(os.TempDir(), "sidefork-private-link")
	if err := os.Symlink(t.TempDir(), stranger); err != nil {
		t.Skipf("no links here: %v", err)
	}
	sweepPrivate()
	for path, want := range map[string]bool{running.path: true, young.path: true, dead.path: false, stranger: true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: there %t, want %t", path, err == nil, want)
		}
	}
	running.remove()
	if _, err := os.Lstat(running.path); err == nil {
		t.Error("a folder that is not needed any more stays")
	}
}
