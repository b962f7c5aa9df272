//go:build unix

package carry

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// faulty is a journal's file that fails at its n-th write or sync, and from then on while full says so. It has written
// half of what it should, as a full disk does.
type faulty struct {
	journalled
	left  *int
	short bool // also the later ones fail
}

func (f faulty) fails() bool {
	*f.left--
	return *f.left == 0 || *f.left < 0 && f.short
}

func (f faulty) Write(p []byte) (int, error) {
	if f.fails() {
		n, _ := f.journalled.Write(p[:len(p)/2])
		return n, &os.PathError{Op: "write", Path: "journal", Err: syscall.ENOSPC}
	}
	return f.journalled.Write(p)
}

func (f faulty) Sync() error {
	if f.fails() {
		return &os.PathError{Op: "sync", Path: "journal", Err: syscall.ENOSPC}
	}
	return f.journalled.Sync()
}

// TestAJournalThatCannotBeWrittenTakesEverythingBack lets each write and sync of the journal fail in turn, once or for
// good, through a whole fork with a carry and a hook.
func TestAJournalThatCannotBeWrittenTakesEverythingBack(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "carried\n")
	r.write("new/n.txt", "new\n")
	source := opened(t, r.top)
	hook(t, source, "echo hooked >hook.txt")
	before := everything(t, r.world())
	for n := 1; !t.Failed(); n++ {
		var done bool
		for _, short := range []bool{false, true} {
			if n > 1 && !sampled(t, fmt.Sprint(n, short)) {
				continue
			}
			o := begun(t, source)
			left := n
			o.journal.file = faulty{o.journal.file, &left, short}
			kept, err := wholeFork(t, o, r.world()+"/x/child")
			if kept {
				done = left > 0 // no failure came
				must(t, o.Close())
				r.git("worktree", "remove", "--force", r.world()+"/x/child")
				r.git("update-ref", "-d", "refs/heads/feat/child")
				must(t, os.Remove(r.world()+"/x"))
				_ = os.Remove(r.path(".git/refs/heads/feat"))
				_ = os.Remove(r.path(".git/logs/refs/heads/feat"))
				continue
			}
			if code := refusal(err); err != nil && code != "noSpace" && !strings.Contains(code, "no space") {
				t.Errorf("%d: said %s", n, code)
			}
			if err := o.RollBack(context.Background()); err != nil {
				t.Errorf("%d: roll back: %v", n, err)
			}
			unchanged(t, r, before)
			must(t, o.Close())
			for range 2 {
				if _, err := Recover(context.Background(), source.CommonDir); err != nil {
					t.Errorf("%d: recover: %v", n, err)
				}
			}
			unchanged(t, r, before)
			if got := Outcome(source.CommonDir, o.ID); got != "rolledBack" {
				t.Errorf("%d: %s", n, got)
			}
		}
		if done {
			if n < 10 {
				t.Errorf("only %d writes and syncs", n-1)
			}
			return
		}
	}
}

// wholeFork goes through everything that writes, and says whether the child was kept.
func wholeFork(t *testing.T, o *Operation, path string) (kept bool, err error) {
	t.Helper()
	kept, h, err := forkWhole(o, path)
	if h.Failed && !strings.Contains(h.Output, "no space") {
		t.Errorf("%+v", h)
	}
	return kept, err
}

func forkWhole(o *Operation, path string) (kept bool, h HookResult, err error) {
	ctx := context.Background()
	plan, err := Look(ctx, o.source, o.source.Head, Options{})
	if err != nil {
		return false, h, err
	}
	defer plan.Close()
	if no := plan.Refused(); no != nil {
		return false, h, no
	}
	child, err := o.Create(ctx, CreateRequest{Path: path, Branch: "feat/child", Base: o.source.Head, Like: plan})
	if err != nil {
		return false, h, err
	}
	if _, err := plan.Into(ctx, child, o, nil); err != nil {
		return false, h, err
	}
	h = o.RunHook(ctx, child)
	err = o.Keep()
	return err == nil, h, err
}

// TestHalfALineIsCutOffAgain, so that the next one can be read.
func TestHalfALineIsCutOffAgain(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	before := everything(t, r.world())
	o := begun(t, opened(t, r.top))
	child := created(t, o, r.world()+"/x/child", "feat/child")
	for _, at := range []int{1, 2} { // a write, a sync
		left, whole := at, o.journal.file
		o.journal.file = faulty{whole, &left, false}
		if o.Will(Step{Carry: &CarryStep{Target: child.Path, Fresh: true}}) == nil {
			t.Error("no failure")
		}
		o.journal.file = whole
		o.carry(t, child, "n.txt", "new")
	}
	must(t, o.Close()) // with neither Keep nor RollBack: as if it had been killed
	if got := recovered(t, r); len(got) != 1 || got[0].Action != "rolledBack" {
		t.Errorf("%+v", got)
	}
	unchanged(t, r, before)
}

// TestARollBackNeedsNoRoom: what it would note down on a full disk, it does without.
func TestARollBackNeedsNoRoom(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	before := everything(t, r.world())
	o := begun(t, opened(t, r.top))
	child := created(t, o, r.world()+"/x/child", "feat/child")
	o.carry(t, child, "n.txt", "new")
	left := 1
	o.journal.file = faulty{o.journal.file, &left, true}
	must(t, o.RollBack(context.Background()))
	must(t, o.RollBack(context.Background()))
	unchanged(t, r, before)
	must(t, o.Close())
	if got := Outcome(r.top+"/.git", o.ID); got != "rolledBack" {
		t.Error(got)
	}
}

const asNobody = "SIDEFORK_TEST_AS_NOBODY"

// unprivileged runs the test t anew as a user whom permission bits stop, where this one is root. It says whether this is
// already such a run.
func unprivileged(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	must(t, os.Chmod(dir, 0o777))
	must(t, exec.Command("cp", os.Args[0], dir+"/carry.test").Run())
	must(t, os.Chmod(dir+"/carry.test", 0o755))
	cmd := exec.Command(dir+"/carry.test", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, asNobody+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	if !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as nobody it did not run:\n%s", out)
	}
	return false
}

// TestAFolderThatMayNotBeWrittenTakesEverythingBack: one at a time of all those in which a fork writes.
func TestAFolderThatMayNotBeWrittenTakesEverythingBack(t *testing.T) {
	t.Parallel()
	if !unprivileged(t) {
		return
	}
	for _, c := range []struct{ folder, at, want string }{
		{"parent/.git", "Begin", "createFailed"}, // without a folder of ours in it
		{"parent/.git/sidefork", "Begin", "createFailed"},
		{"parent/.git/sidefork/operations", "Begin", "createFailed"},
		{"parent/.git/sidefork/locks", "Begin", "createFailed"},
		{"parent/.git/refs/heads", "Create", "createFailed"},
		{"parent/.git/logs/refs/heads", "Create", "createFailed"},
		{"parent/.git/worktrees", "Create", "createFailed"},
		{"trees", "Create", "badFolder"},
		{"trees/child", "Create", "badFolder"}, // empty, as a user may have made it
	} {
		t.Run(c.folder, func(t *testing.T) {
			r := newRepo(t)
			folder := filepath.Join(r.world(), c.folder)
			must(t, os.MkdirAll(r.world()+"/trees", 0o755))
			must(t, os.MkdirAll(folder, 0o755))
			must(t, os.Chmod(folder, 0o555))
			t.Cleanup(func() { _ = os.Chmod(folder, 0o755) })
			before := everything(t, r.world())
			at := "Begin"
			o, err := Begin(context.Background(), opened(t, r.top), operation)
			if err == nil {
				at = "Create"
				_, err = o.Create(context.Background(), CreateRequest{Path: r.world() + "/trees/child", Branch: "feat/child", Base: o.source.Head})
				must(t, o.RollBack(context.Background()))
				must(t, o.Close())
			}
			if at != c.at || err == nil || refusal(err) != c.want {
				t.Errorf("%s said %v, want %s of %s", at, err, c.want, c.at)
			}
			if after := everything(t, r.world()); after != before {
				t.Errorf("not as before:\n%s", difference(before, after))
			}
			must(t, os.Chmod(folder, 0o755))
			if got := recovered(t, r); got != nil {
				t.Errorf("recovered: %+v", got)
			}
			if got := Outcome(r.top+"/.git", operation); got != map[string]string{"Begin": "unknownOperation", "Create": "rolledBack"}[c.at] {
				t.Errorf("outcome: %s", got)
			}
		})
	}
}
