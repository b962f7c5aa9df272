package watch

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"go.uber.org/goleak"
)

// start runs a watcher until the test ends, with its own files in a folder that is then empty again.
func start(t *testing.T) (w *Watcher, told chan Event) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere nothing is certain to be told")
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	w, err := New()
	if err != nil {
		t.Fatal(err)
	}
	told = make(chan Event, 10_000)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Run(ctx, func(e Event) { told <- e })
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		if left, _ := os.ReadDir(temp); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
		goleak.VerifyNone(t)
	})
	return w, told
}

func TestAllThatHasHappenedIsToldOnceItHasSettled(t *testing.T) {
	w, told := start(t)
	folder := t.TempDir()
	for range 2 { // it may be asked for again
		if !w.Add(folder) {
			t.Fatal("it is not watched")
		}
	}
	for round := range 50 {
		path := filepath.Join(folder, "a")
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, filepath.Join(folder, "b")); err != nil {
			t.Fatal(err)
		}
		if !w.Settle() {
			t.Fatal("it never settles")
		}
		came, went := false, false
		for range len(told) {
			e := <-told
			if e.Lost || filepath.Dir(e.Path) != folder {
				t.Errorf("told %+v", e)
			}
			came = came || e.Names && filepath.Base(e.Path) == "b"
			went = went || e.Names && filepath.Base(e.Path) == "a"
		}
		if !came || !went {
			t.Fatalf("round %d: told that one came: %v, that one went: %v", round, came, went)
		}
	}
}

func TestOnlySoManyFoldersAreWatchedAndNoneThatIsNotThere(t *testing.T) {
	w, _ := start(t)
	if w.Add(filepath.Join(t.TempDir(), "nowhere")) {
		t.Error("a folder that is not there is watched")
	}
	folder := t.TempDir()
	large := filepath.Join("/", "nowhere")
	w.added[large], w.used = w.most, w.most // of which only the cost matters
	if w.Add(folder) {
		t.Error("more than there may be are watched")
	}
	w.Remove(large)
	if !w.Add(folder) {
		t.Error("one that went makes no room")
	}
}
