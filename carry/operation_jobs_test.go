//go:build unix

package carry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sidefork/sidefork/carry/worktree"
)

// jobs gives a repository a hook that leaves jobs running, each with these words before it. The returned function says
// whether one still waits at its FIFO, and lets it go on.
func jobs(t *testing.T, w worktree.Worktree, before ...string) (runs func(i int) bool) {
	t.Helper()
	dir := t.TempDir()
	must(t, syscall.Mkfifo(dir+"/marks", 0o600))
	var script string
	fifo := func(i int) string { return filepath.Join(dir, string(rune('a'+i))) }
	for i, words := range before {
		must(t, syscall.Mkfifo(fifo(i), 0o600))
		script += "(" + words + "; exec 3<>'" + fifo(i) + "' 4>>late.txt; echo up >'" + dir + "/marks'; read x <&3) & read x <'" + dir + "/marks'\n"
	}
	hook(t, w, script+"exit 0")
	return func(i int) bool {
		goOn, err := os.OpenFile(fifo(i), os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil && !errors.Is(err, syscall.ENXIO) {
			t.Fatal(err)
		}
		if err == nil {
			_, _ = goOn.WriteString("go on\n")
			goOn.Close()
		}
		return err == nil
	}
}

func TestRollBackEndsWhatAHookLeftRunning(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := opened(t, r.top)
	runs := jobs(t, w, ":", "trap '' TERM", "exec >/dev/null 2>&1 </dev/null")
	before := everything(t, r.world())
	o := begun(t, w)
	child := created(t, o, r.world()+"/child", "child")
	if got := o.RunHook(context.Background(), child); !got.Ran || got.Failed {
		t.Fatalf("%+v", got)
	}
	must(t, o.RollBack(context.Background()))
	unchanged(t, r, before)
	for i := range 3 {
		if runs(i) {
			t.Errorf("job %d still runs", i)
		}
	}
}

func TestAHooksJobsGoOnAfterACompletedFork(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	runs := jobs(t, opened(t, r.top), ":")
	o := begun(t, opened(t, r.top))
	child := created(t, o, r.world()+"/child", "child")
	o.RunHook(context.Background(), child)
	must(t, o.Keep())
	must(t, o.RollBack(context.Background())) // nothing
	must(t, o.Close())
	if !runs(0) {
		t.Error("it was ended")
	}
}

// TestRollBackEndsNobodyElsesJobs: those of another operation.
func TestRollBackEndsNobodyElsesJobs(t *testing.T) {
	t.Parallel()
	kept, back := newRepo(t), newRepo(t)
	theirs := jobs(t, opened(t, kept.top), ":")
	first := begun(t, opened(t, kept.top))
	first.RunHook(context.Background(), created(t, first, kept.world()+"/child", "child"))
	must(t, first.Keep())
	own := jobs(t, opened(t, back.top), ":")
	second := begun(t, opened(t, back.top))
	second.RunHook(context.Background(), created(t, second, back.world()+"/child", "child"))
	must(t, second.RollBack(context.Background()))
	if own(0) {
		t.Error("its own job still runs")
	}
	if !theirs(0) {
		t.Error("another operation's job was ended")
	}
}
