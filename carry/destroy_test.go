//go:build unix

package carry

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sidefork/sidefork/carry/worktree"
)

// TestTakingACarryBackKeepsWhatWasDoneInTheTargetSince puts no old index over newer commits and stagings.
func TestTakingACarryBackKeepsWhatWasDoneInTheTargetSince(t *testing.T) {
	t.Parallel()
	for name, work := range map[string]func(r *repo, target string){
		"a commit": func(r *repo, target string) {
			must(r, os.WriteFile(filepath.Join(target, "mine"), []byte("m"), 0o644))
			gitIn(r, target, "add", "mine")
			gitIn(r, target, "commit", "-q", "-m", "mine")
		},
		"a staged file": func(r *repo, target string) {
			must(r, os.WriteFile(filepath.Join(target, "mine"), []byte("m"), 0o644))
			gitIn(r, target, "add", "mine")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.write("a.txt", "carried\n")
			r.git("add", "a.txt")
			o, target := carriedToTarget(t, r)
			defer o.Close()
			work(r, target)
			before := gitIn(t, target, "status", "--porcelain")
			stuck, ok := errors.AsType[*Stuck](o.RollBack(context.Background()))
			if !ok || len(stuck.Paths) == 0 {
				t.Fatalf("rolled back over it: %v", stuck)
			}
			if after := gitIn(t, target, "status", "--porcelain"); after != before {
				t.Errorf("status was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// TestWhatACarryCannotTakeBackIsNamedAndTheRestIsBack: of what was carried and edited since, each path is named, and
// once only; what nobody has touched is gone again.
func TestWhatACarryCannotTakeBackIsNamedAndTheRestIsBack(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "carried\n")
	r.write("new", "carried\n")
	r.write("other", "carried\n")
	o, target := carriedToTarget(t, r)
	must(t, os.WriteFile(filepath.Join(target, "a.txt"), []byte("mine\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(target, "new"), []byte("mine\n"), 0o644))
	die(o)
	common := filepath.Join(r.top, ".git")
	got, err := Recover(context.Background(), common)
	want := []string{filepath.Join(target, "a.txt"), filepath.Join(target, "new")}
	if err != nil || len(got) != 1 || got[0].Action != "kept" || got[0].Workspace != target || !slices.Equal(got[0].Paths, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := os.Lstat(filepath.Join(target, "other")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what nobody has touched stands: %v", err)
	}
	if text, _ := os.ReadFile(filepath.Join(target, "a.txt")); string(text) != "mine\n" {
		t.Errorf("an edit is %q", text)
	}
	if got, err := Recover(context.Background(), common); got != nil || err != nil {
		t.Errorf("the second time: %+v, %v", got, err)
	}
}

// TestACarryWhoseTargetWasRemovedIsOver: there is nothing left to take back, and nothing to say for ever.
func TestACarryWhoseTargetWasRemovedIsOver(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "carried\n")
	o, target := carriedToTarget(t, r)
	die(o)
	common := filepath.Join(r.top, ".git")
	r.git("worktree", "remove", "--force", target)
	if got, err := Recover(context.Background(), common); err != nil || len(got) != 1 || got[0].Action != "rolledBack" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := Recover(context.Background(), common); got != nil || err != nil {
		t.Errorf("the second time: %+v, %v", got, err)
	}
}

func TestACarryIntoATargetThatGitHasLockedIsRefused(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	target := filepath.Join(filepath.Dir(r.top), "target")
	r.git("worktree", "add", "-q", "-b", "target", target, "HEAD")
	r.write("a.txt", "carried\n")
	at := openAt(t, target)
	must(t, os.WriteFile(filepath.Join(at.GitDir, "index.lock"), nil, 0o644))
	plan, err := Look(context.Background(), openAt(t, r.top), at.Head, Options{})
	must(t, err)
	defer plan.Close()
	must(t, plan.Against(context.Background(), at))
	if no := plan.Refused(); no == nil || no.Code != "indexLocked" {
		t.Errorf("refused: %v", no)
	}
}

func TestTakingBackKeepsALinkThatLeadsElsewhereNow(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	must(t, os.Symlink("mine", filepath.Join(top, "l")))
	must(t, os.Symlink("carried", filepath.Join(top, "m")))
	paths := []WrittenPath{{Path: []byte("l"), Kind: "link", Link: []byte("carried")}, {Path: []byte("m"), Kind: "link", Link: []byte("carried")}}
	if err := takeBack(CarryStep{Target: top, Fresh: true, Paths: paths}); err != nil {
		t.Fatal(err)
	}
	if nothingAt(filepath.Join(top, "l")) || !nothingAt(filepath.Join(top, "m")) {
		t.Error("the wrong one of the two is gone")
	}
	info, err := os.Lstat(filepath.Join(top, "l"))
	must(t, err)
	if (expected{WrittenPath: paths[0]}).matches(filepath.Join(top, "l"), info) {
		t.Error("another link is taken for the carried one")
	}
}

// TestRecoverKeepsAHalfMadeChildInWhichSomebodyStaged: git has finished the child after the kill, and only its index has
// what somebody did.
func TestRecoverKeepsAHalfMadeChildInWhichSomebodyStaged(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	killed(t, r, "made")
	journal := journalFile(r.top+"/.git", operation)
	text, err := os.ReadFile(journal)
	must(t, err)
	var half []byte
	for line := range bytes.Lines(text) {
		if !bytes.Contains(line, []byte(`"what":"made"`)) {
			half = append(half, line...)
		}
	}
	must(t, os.WriteFile(journal, half, 0o644))
	child := r.world() + "/x/child"
	must(t, os.WriteFile(child+"/precious", []byte("p"), 0o644))
	gitIn(t, child, "add", "precious")
	must(t, os.Remove(child+"/precious"))
	if got := recovered(t, r); len(got) != 1 || got[0].Action != "kept" {
		t.Errorf("%+v", got)
	}
	if gitIn(t, child, "ls-files", "precious") == "" {
		t.Error("what was staged is gone")
	}
}

// TestAPlantedJournalReachesNothingOutsideItsRepository: a .git folder may come from anywhere.
func TestAPlantedJournalReachesNothingOutsideItsRepository(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	victim := t.TempDir()
	must(t, os.Symlink("/etc/passwd", filepath.Join(victim, "l")))
	j := undo{common: r.top + "/.git", journal: &journal{trail: trail{id: operation, steps: []Step{{Carry: &CarryStep{
		Target: victim, TargetGitDir: r.top + "/.git", Base: openAt(t, r.top).Head,
		Paths: []WrittenPath{{Path: []byte("l"), Kind: "link", Link: []byte("/etc/passwd")}},
	}}}}}}
	if err := j.run(context.Background()); err == nil {
		t.Error("it was carried out")
	}
	if nothingAt(filepath.Join(victim, "l")) {
		t.Error("a file outside the repository was removed")
	}
}

func TestLookRefusesATemporaryFolderInsideTheWorkspace(t *testing.T) {
	r := newRepo(t)
	must(t, os.Mkdir(r.path("tmp"), 0o755))
	for _, dir := range []string{r.path("tmp"), r.path("no such folder")} {
		t.Setenv("TMPDIR", dir)
		_, err := Look(context.Background(), openAt(t, r.top), openAt(t, r.top).Head, Options{})
		if no, ok := errors.AsType[*worktree.Refusal](err); !ok || no.Code != "temporaryFolder" {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestLookNeverOpensAFIFO(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	must(t, os.Mkdir(r.path("n"), 0o755))
	must(t, unix.Mkfifo(r.path("n/.git"), 0o644))
	r.write("n/file", "f")
	plan, err := Look(context.Background(), openAt(t, r.top), openAt(t, r.top).Head, Options{})
	must(t, err)
	defer plan.Close()
	if len(plan.Left) != 1 || plan.Left[0].Path != "n" {
		t.Errorf("left: %v", plan.Left)
	}
}

func TestTheExecuteBitComesThoughASettingHidesIt(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.git("config", "core.fileMode", "false")
	must(t, os.Chmod(r.path("a.txt"), 0o755))
	child, _, _, err := r.fork(Options{})
	must(t, err)
	if info, err := os.Stat(filepath.Join(child, "a.txt")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestUnstageNamesAnEntryWithoutAFile(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("f", "new")
	r.git("add", "f")
	r.remove("f")
	_, _, result, err := r.fork(Options{Unstage: true})
	must(t, err)
	if len(result.Left) != 1 || result.Left[0] != (Left{"f", "stagedOnly"}) {
		t.Errorf("left: %v", result.Left)
	}
}

// carriedToTarget carries what the repository has to a new worktree of it, and keeps it open: neither kept nor taken back.
func carriedToTarget(t *testing.T, r *repo) (o *Operation, target string) {
	t.Helper()
	target = filepath.Join(filepath.Dir(r.top), "target")
	r.git("worktree", "add", "-q", "-b", "target", target, "HEAD")
	at, from := openAt(t, target), openAt(t, r.top)
	plan, err := Look(context.Background(), from, at.Head, Options{})
	must(t, err)
	defer plan.Close()
	must(t, plan.Against(context.Background(), at))
	o, err = Begin(context.Background(), from, operation)
	must(t, err)
	_, err = plan.Into(context.Background(), at, o, nil)
	must(t, err)
	return o, target
}

// die frees an operation's locks as the death of its process would.
func die(o *Operation) {
	o.lock.release()
	o.sourceLock.release()
	o.lock, o.sourceLock = nil, nil
}
