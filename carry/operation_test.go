//go:build unix

package carry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/carry/worktree"
)

func opened(t testing.TB, dir string) worktree.Worktree {
	t.Helper()
	w, err := worktree.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(explain(err))
	}
	return w
}

func begun(t testing.TB, source worktree.Worktree) *Operation {
	t.Helper()
	o, err := Begin(context.Background(), source, uuid.NewString())
	if err != nil {
		t.Fatal(explain(err))
	}
	t.Cleanup(func() { o.Close() })
	return o
}

func created(t testing.TB, o *Operation, path, branch string) worktree.Worktree {
	t.Helper()
	child, err := o.Create(context.Background(), CreateRequest{Path: path, Branch: branch, Base: o.source.Head})
	if err != nil {
		t.Fatal(explain(err))
	}
	return child
}

// carry writes a file into a child as a carry does: recorded, then written, with its time.
func (o *Operation) carry(t testing.TB, child worktree.Worktree, name, content string) {
	t.Helper()
	at := time.Date(2023, 1, 2, 3, 4, 5, 678, time.UTC)
	must(t, o.Will(Step{Carry: &CarryStep{
		Target: child.Path, TargetGitDir: child.GitDir, Fresh: true,
		Paths: []WrittenPath{{Path: []byte(name), Kind: "file", Size: int64(len(content)), MTime: at.UnixNano()}},
	}}))
	full := filepath.Join(child.Path, name)
	must(t, os.MkdirAll(filepath.Dir(full), 0o755))
	must(t, os.WriteFile(full, []byte(content), 0o644))
	must(t, os.Chtimes(full, at, at))
}

// everything is all that is below a folder but sidefork's own: types, modes, content, and the times of files (but for
// the objects of submodules).
func everything(t testing.TB, dir string) string {
	t.Helper()
	var lines []string
	must(t, filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, full)
		if d.IsDir() && d.Name() == "sidefork" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%q %v", name, info.Mode())
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(full)
			if err != nil {
				return err
			}
			if !strings.Contains(name, "/modules/") || !strings.Contains(name, "/objects/") { // git touches objects that it would write again
				line += fmt.Sprint(" ", info.ModTime().UnixNano())
			}
			line += fmt.Sprintf(" %q", content)
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(full)
			line += " -> " + to
		}
		lines = append(lines, line)
		return nil
	}))
	return strings.Join(lines, "\n")
}

func (r *repo) world() string { return filepath.Dir(r.top) }

func unchanged(t testing.TB, r *repo, before string) {
	t.Helper()
	if after := everything(t, r.world()); after != before {
		t.Errorf("not as before:\n%s", difference(before, after))
	}
}

func refusal(err error) string {
	if no, ok := errors.AsType[*Refusal](err); ok {
		return no.Code
	}
	return fmt.Sprint(err)
}

func TestNothingIsWrittenBeforeBegin(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	before := everything(t, r.world())
	w := opened(t, r.top)
	worktree.CheckName(context.Background(), w, "child")
	worktree.CheckFolder(filepath.Join(r.world(), "child"), w)
	if _, err := Begin(context.Background(), w, "../../x"); refusal(err) != "invalidArgument" {
		t.Errorf("%v", err)
	}
	if got, err := Recover(context.Background(), w.CommonDir); got != nil || err != nil {
		t.Errorf("%v %v", got, err)
	}
	if _, err := os.Lstat(filepath.Join(w.CommonDir, "sidefork")); err == nil {
		t.Error("sidefork/ was made")
	}
	unchanged(t, r, before)
}

func TestCreateRefusesWithNothingWritten(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("../full/precious.txt", "precious")
	r.git("branch", "taken")
	r.git("branch", "release/1.0")
	source := opened(t, r.top)
	before := everything(t, r.world())
	for _, c := range []struct {
		CreateRequest
		want string
	}{
		{CreateRequest{Path: r.world() + "/full", Branch: "x", Base: source.Head}, "folderTaken"},
		{CreateRequest{Path: r.top, Branch: "x", Base: source.Head}, "folderTaken"},
		{CreateRequest{Path: r.top + "/.git/x", Branch: "x", Base: source.Head}, "badFolder"},
		{CreateRequest{Path: "relative", Branch: "x", Base: source.Head}, "badFolder"},
		{CreateRequest{Path: r.world() + "/child", Branch: "--force", Base: source.Head}, "invalidName"},
		{CreateRequest{Path: r.world() + "/child", Branch: "x", Base: "HEAD"}, "refUnknown"},
		{CreateRequest{Path: r.world() + "/child", Branch: "taken", Base: source.Head}, "nameTaken"},
		{CreateRequest{Path: r.world() + "/child", Branch: "release", Base: source.Head}, "createFailed"},
		{CreateRequest{Path: r.world() + "/child", Branch: "taken/x", Base: source.Head}, "createFailed"},
		{CreateRequest{Path: r.world() + "/child", Branch: "x", Base: strings.Repeat("1", 40)}, "createFailed"},
	} {
		o := begun(t, source)
		_, err := o.Create(context.Background(), c.CreateRequest)
		if refusal(err) != c.want {
			t.Errorf("%+v: %s, want %s", c.CreateRequest, explain(err), c.want)
		}
		if err := o.RollBack(context.Background()); err != nil {
			t.Errorf("%+v: roll back: %v", c.CreateRequest, err)
		}
		must(t, o.Close())
		unchanged(t, r, before)
	}
}

func TestCreateMakesAChildThatIsItself(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		r := newRepo(t, "--object-format="+format)
		source := opened(t, r.top)
		o := begun(t, source)
		child := created(t, o, r.world()+"/deep/er/child", "feat/child")
		want := worktree.Worktree{
			Path: r.world() + "/deep/er/child", GitDir: source.CommonDir + "/worktrees/child", CommonDir: source.CommonDir, Head: source.Head, Branch: "feat/child",
		}
		if child != want {
			t.Errorf("\n got %+v\nwant %+v", child, want)
		}
		must(t, o.Keep())
		must(t, o.RollBack(context.Background())) // nothing
		must(t, o.Close())
		if got := opened(t, child.Path); got != want {
			t.Errorf("after Keep: %+v", got)
		}
		if s := gitIn(t, child.Path, "status", "--porcelain"); s != "" {
			t.Errorf("the child is dirty: %s", s)
		}
		if c := r.git("config", "--list", "--local"); strings.Contains(c, "branch.") {
			t.Errorf("the configuration was written: %s", c)
		}
		if got := Outcome(source.CommonDir, o.ID); got != "completed" {
			t.Errorf("outcome: %s", got)
		}
		if _, err := Begin(context.Background(), source, o.ID); refusal(err) != "invalidArgument" {
			t.Errorf("the same operation again: %v", err)
		}
	}
}

func TestCreateFromALinkedParentStartsAtItsCommit(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	linked := r.world() + "/linked"
	r.git("worktree", "add", "-q", "-b", "feat", linked)
	must(t, os.WriteFile(linked+"/f", []byte("f"), 0o644))
	gitIn(t, linked, "add", "f")
	gitIn(t, linked, "commit", "-q", "-m", "f")
	o := begun(t, opened(t, linked))
	child := created(t, o, r.world()+"/child", "child")
	if child.Head == opened(t, r.top).Head || child.Head != opened(t, linked).Head {
		t.Errorf("%+v", child)
	}
}

func TestCreateBringsSparsePatternsAlong(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.git("sparse-checkout", "set", "--cone", "src")
	child := created(t, begun(t, opened(t, r.top)), r.world()+"/child", "child")
	if _, err := os.Stat(child.Path + "/docs/c.md"); err == nil {
		t.Error("the child is full")
	}
	if s := gitIn(t, child.Path, "status", "--porcelain"); s != "" {
		t.Error(s)
	}
}

func TestRollBackLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	layouts := map[string]func(r *repo) (source, child, branch string){
		"plain":              func(r *repo) (string, string, string) { return r.top, r.world() + "/child", "child" },
		"folders above both": func(r *repo) (string, string, string) { return r.top, r.world() + "/x/y/child", "x/y/child" },
		"inside the parent":  func(r *repo) (string, string, string) { return r.top, r.top + "/.worktrees/child", "child" },
		"an empty folder": func(r *repo) (string, string, string) {
			must(r, os.Mkdir(r.world()+"/child", 0o700))
			return r.top, r.world() + "/child", "child"
		},
		"a linked parent": func(r *repo) (string, string, string) {
			r.git("worktree", "add", "-q", "-b", "feat/x", r.world()+"/linked")
			return r.world() + "/linked", r.world() + "/child", "feat/child"
		},
		"packed refs": func(r *repo) (string, string, string) {
			r.git("branch", "feat/x")
			r.git("pack-refs", "--all")
			return r.top, r.world() + "/child", "feat/child"
		},
		"no reflogs": func(r *repo) (string, string, string) {
			must(r, os.RemoveAll(r.top+"/.git/logs"))
			r.git("config", "core.logAllRefUpdates", "false")
			return r.top, r.world() + "/child", "child"
		},
		"a bare layout": func(r *repo) (string, string, string) {
			gitIn(r, r.world(), "clone", "-q", "--bare", r.top, "p/.bare")
			must(r, os.WriteFile(r.world()+"/p/.git", []byte("gitdir: ./.bare\n"), 0o644))
			gitIn(r, r.world()+"/p", "worktree", "add", "-q", "main", "main")
			return r.world() + "/p/main", r.world() + "/p/child", "child"
		},
		"a name with a number": func(r *repo) (string, string, string) {
			r.git("worktree", "add", "-q", "-b", "one", r.world()+"/one/child")
			return r.top, r.world() + "/two/child", "two"
		},
	}
	steps := []string{"begun", "created", "carried", "hooked"}
	for name, layout := range layouts {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.write("sub/link/x", "x") // an edit that only the parent has
			dir, path, branch := layout(r)
			source := opened(t, dir)
			before := everything(t, r.world())
			hook(t, source, "echo hooked >hook.txt; mkdir -p kept/empty; echo more >>a.txt; ln -s / root")
			hooked := everything(t, r.world())
			for i, step := range steps {
				o := begun(t, source)
				if i >= 1 {
					child := created(t, o, path, branch)
					if i >= 2 {
						o.carry(t, child, "new/dir/n.txt", "new")
						o.carry(t, child, "a.txt", "edited")
						o.carry(t, child, "debug.log", "ignored")
						must(t, os.MkdirAll(child.Path+"/empty/folder", 0o755)) // git knows nothing of it
					}
					if i >= 3 {
						if h := o.RunHook(context.Background(), child); !h.Ran || h.Failed {
							t.Errorf("%+v", h)
						}
					}
				}
				ctx, cancel := context.WithCancel(context.Background())
				cancel() // a caller that has given up
				if err := o.RollBack(ctx); err != nil {
					t.Fatalf("%s: %v", step, err)
				}
				must(t, o.RollBack(ctx))
				must(t, o.Close())
				must(t, o.Close())
				unchanged(t, r, hooked)
				if got := Outcome(source.CommonDir, o.ID); got != "rolledBack" {
					t.Errorf("%s: outcome %s", step, got)
				}
			}
			must(t, os.Remove(filepath.Join(source.CommonDir, "hooks", "post-checkout")))
			_ = os.Remove(filepath.Join(source.CommonDir, "hooks"))
			unchanged(t, r, before)
		})
	}
}

func TestCreateRefusesAChildThatActsOnItsParent(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "an edit\n")
	r.write("n.txt", "new\n")
	r.git("config", "extensions.worktreeConfig", "true")
	r.git("config", "core.worktree", r.top)
	if no := opened(t, r.top).Eligible(); no == nil { // said before anything is written; Create proves it all the same
		t.Error("eligible")
	}
	before := everything(t, r.world())
	o := begun(t, opened(t, r.top))
	_, err := o.Create(context.Background(), CreateRequest{Path: r.world() + "/child", Branch: "child", Base: o.source.Head})
	if refusal(err) != "notItself" {
		t.Errorf("%v", explain(err))
	}
	if err := o.RollBack(context.Background()); err != nil {
		t.Fatal(err)
	}
	unchanged(t, r, before)
}

func TestCreateThatGitCannotFinishIsTakenBack(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(".gitattributes", "*.txt filter=gone\n")
	r.commit("attributes")
	r.git("config", "filter.gone.smudge", "/nowhere/filter")
	r.git("config", "filter.gone.required", "true")
	before := everything(t, r.world())
	o := begun(t, opened(t, r.top))
	_, err := o.Create(context.Background(), CreateRequest{Path: r.world() + "/x/child", Branch: "a/child", Base: o.source.Head})
	if no, _ := errors.AsType[*Refusal](err); refusal(err) != "createFailed" || !strings.Contains(no.Detail, "filter") {
		t.Errorf("%v", explain(err))
	}
	if err := o.RollBack(context.Background()); err != nil {
		t.Fatal(err)
	}
	unchanged(t, r, before)
}

func TestCreateCancelledInTheMiddleIsTakenBack(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	marks := slowCheckout(t, r)
	before := everything(t, r.world())
	o := begun(t, opened(t, r.top))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := o.Create(ctx, CreateRequest{Path: r.world() + "/child", Branch: "child", Base: o.source.Head})
		done <- err
	}()
	awaitLine(t, marks)
	if l, err := tryLock(worktreesLock(o.source.CommonDir)); !errors.Is(err, errLocked) {
		l.release()
		t.Errorf("another worktree could be made meanwhile: %v", err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", explain(err))
	}
	if fifo, err := os.OpenFile(filepath.Join(filepath.Dir(marks), "go"), os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		fifo.Close()
		t.Error("the filter that git started is still waiting")
	}
	if err := o.RollBack(ctx); err != nil {
		t.Fatal(err)
	}
	unchanged(t, r, before)
}

func TestOnlyOneOperationRunsForASource(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.git("worktree", "add", "-q", "-b", "other", r.world()+"/other")
	first := begun(t, opened(t, r.top))
	for range 2 {
		if _, err := Begin(context.Background(), opened(t, r.top+"/src"), uuid.NewString()); refusal(err) != "forkInProgress" {
			t.Errorf("%v", err)
		}
	}
	begun(t, opened(t, r.world()+"/other"))
	if got := Outcome(first.source.CommonDir, first.ID); got != "running" {
		t.Errorf("outcome: %s", got)
	}
	must(t, first.Close())
	begun(t, opened(t, r.top))
}

func TestTwelveOperationsOfTwelveSourcesRunAtOnce(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	const n = 12
	sources := make([]worktree.Worktree, n)
	for i := range n {
		path := fmt.Sprintf("%s/wt-%d", r.world(), i)
		r.git("worktree", "add", "-q", "-b", fmt.Sprintf("wt-%d", i), path)
		sources[i] = opened(t, path)
	}
	before := everything(t, r.world())
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			o, err := Begin(context.Background(), sources[i], uuid.NewString())
			if err != nil {
				errs[i] = err
				return
			}
			defer o.Close()
			if _, err := o.Create(context.Background(), CreateRequest{Path: fmt.Sprintf("%s/kids/kid", r.world()) + fmt.Sprint(i), Branch: fmt.Sprintf("kid/%d", i), Base: sources[i].Head}); err != nil {
				errs[i] = err
				return
			}
			if i%2 == 0 {
				errs[i] = o.Keep()
			} else {
				errs[i] = o.RollBack(context.Background())
			}
		})
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("%d: %s", i, explain(err))
		}
	}
	for i := range n {
		path := fmt.Sprintf("%s/kids/kid%d", r.world(), i)
		if i%2 == 1 {
			if _, err := os.Lstat(path); err == nil {
				t.Errorf("%s is still there", path)
			}
			continue
		}
		if w := opened(t, path); w.Branch != fmt.Sprintf("kid/%d", i) {
			t.Errorf("%+v", w)
		}
		r.git("worktree", "remove", path)
		r.git("update-ref", "-d", fmt.Sprintf("refs/heads/kid/%d", i))
	}
	_ = os.Remove(r.world() + "/kids")
	_ = os.Remove(r.top + "/.git/refs/heads/kid")
	_ = os.Remove(r.top + "/.git/logs/refs/heads/kid")
	unchanged(t, r, before)
}

func TestACleanForkStartsFewProcesses(t *testing.T) {
	r := newRepo(t)
	log := countGit(t)
	w := opened(t, r.top)
	if n := log(); n != 1 {
		t.Errorf("Open: %d", n)
	}
	if no := worktree.CheckName(context.Background(), w, "child"); no != nil || log() != 1 {
		t.Errorf("CheckName: %v", no)
	}
	if no := worktree.CheckFolder(r.world()+"/child", w); no != nil || log() != 0 {
		t.Errorf("CheckFolder: %v", no)
	}
	o := begun(t, w)
	child := created(t, o, r.world()+"/child", "child")
	if n := log(); n != 3 {
		t.Errorf("Create: %d", n)
	}
	if h := o.RunHook(context.Background(), child); h.Ran || log() != 0 {
		t.Errorf("RunHook without a hook: %+v", h)
	}
	must(t, o.Keep())
	must(t, o.Close())
	if n := log(); n != 0 {
		t.Errorf("Keep and Close: %d", n)
	}
}

// countGit puts a git before the real one that counts how often it is started by us (not by git itself).
func countGit(t *testing.T) func() int {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	script := "#!/bin/sh\necho x >>'" + log + "'\nPATH=" + os.Getenv("PATH") + " exec git \"$@\"\n"
	must(t, os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return func() int {
		text, _ := os.ReadFile(log)
		os.Remove(log)
		return strings.Count(string(text), "\n")
	}
}
