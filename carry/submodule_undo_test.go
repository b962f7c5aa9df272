//go:build unix

package carry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/sidefork/sidefork/carry/worktree"
)

// newNested is a superproject with a submodule in a submodule, and changes of each kind in both.
func newNested(t testing.TB) *repo {
	t.Helper()
	r := newSuper(t)
	r.shell(r.top, `R=$PWD; git init -q -b main ../deep; echo d >../deep/d; git -C ../deep add d; git -C ../deep commit -qm d
		cd lib/sub; git submodule --quiet add file://$R/../deep in/deep; git commit -qm deep; `+changeAll+`cd in/deep; `+
		`echo deeper >>d; echo u >u; git add u; echo w >w`)
	return r
}

// told is a recorder that ends the fork at the nth step of it.
type told struct {
	*Operation
	until, count int
	stop         func()
}

var errTold = errors.New("told to stop")

func (o *told) Will(step Step) error {
	if o.count++; o.count > o.until {
		if o.stop != nil {
			o.stop()
		}
		return errTold
	}
	return o.Operation.Will(step)
}

// forkUntil forks as far as the nth step that follows the making of the child, without that. done is false where it was
// told to stop before the end.
func (r *repo) forkUntil(o *Operation, n int, stop func()) (child worktree.Worktree, done bool) {
	r.Helper()
	ctx := context.Background()
	plan, err := Look(ctx, o.source, o.source.Head, Options{})
	must(r, err)
	defer plan.Close()
	child, err = o.Create(ctx, CreateRequest{Path: r.world() + "/child", Branch: "child", Base: o.source.Head, Like: plan})
	must(r, err)
	_, err = plan.Into(ctx, child, &told{Operation: o, until: n, stop: stop}, nil)
	if err != nil && !errors.Is(err, errTold) && !strings.Contains(explain(err), errTold.Error()) {
		r.Fatal(explain(err))
	}
	return child, err == nil
}

func TestSubmodulesAreTakenBackAtEachStep(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		r := newNested(t)
		before := everything(t, r.world())
		o := begun(t, opened(t, r.top))
		_, done := r.forkUntil(o, n, nil)
		if err := o.RollBack(context.Background()); err != nil {
			t.Fatalf("after step %d: %v", n, stuck(err))
		}
		must(t, o.Close())
		unchanged(t, r, before)
		if done {
			if n < 4 {
				t.Errorf("only %d steps", n)
			}
			return
		}
		if testing.Short() && n == 1 {
			n = 3
		}
	}
}

func stuck(err error) string {
	if s, ok := errors.AsType[*Stuck](err); ok {
		return fmt.Sprintf("%v %q", s.Err, s.Paths)
	}
	return explain(err)
}

func TestRecoverTakesSubmodulesBackAfterKill(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"submodules 1", "submodules 2", "submodules 4", "submodules 99", "half a store", "half a checkout"} {
		if !sampled(t, stage) && stage != "submodules 99" {
			continue
		}
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			r := newNested(t)
			before := everything(t, r.world())
			killed(t, r, stage)
			got := recovered(t, r)
			if len(got) != 1 || got[0].Action != "rolledBack" {
				t.Errorf("%+v", got)
			}
			unchanged(t, r, before)
		})
	}
}

// holdSubmodules is TestHolder's part for the stages above.
func holdSubmodules(t *testing.T, o *Operation, source worktree.Worktree, stage string, stay func()) {
	r := &repo{t, source.Path}
	var n int
	if _, err := fmt.Sscanf(stage, "submodules %d", &n); err == nil {
		r.forkUntil(o, n, stay)
		stay()
	}
	child, _ := r.forkUntil(o, 2, nil) // the outer level, and the first submodule's store and files
	sub := child.Path + "/lib/sub"
	store := child.GitDir + "/modules/lib/sub"
	switch stage {
	case "half a store":
		must(t, os.RemoveAll(sub))
		must(t, os.Mkdir(sub, 0o755))
		must(t, os.Remove(store+"/HEAD"))
		must(t, os.RemoveAll(store+"/refs"))
	case "half a checkout":
		must(t, os.Remove(store+"/index"))
		must(t, os.Remove(sub+"/del"))
		must(t, os.WriteFile(sub+"/f", []byte("tw"), 0o644))
	}
	stay()
}

func TestRecoverNeverDestroysWorkInASubmodule(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"an edit":               `echo mine >>d/g || echo mine >>d/h`,
		"an edit of carried":    `echo mine >>f`,
		"a new file":            `echo mine >mine`,
		"an ignored file":       `echo mine >mine.log`,
		"a staged file":         `echo mine >mine; git add mine; rm mine`,
		"a commit":              `git commit -qam mine`,
		"a commit left again":   `git add i; git stash -q; git commit -q --allow-empty -m mine; git reset -q --hard HEAD~1`,
		"a stash":               `git add i; git stash -q`,
		"another branch":        `git symbolic-ref HEAD refs/heads/mine`,
		"a nested edit":         `echo mine >>in/deep/d`,
		"a nested commit":       `git -C in/deep commit -qam mine`,
		"another store":         `git init -q ../../../other; echo "gitdir: $PWD/../../../other/.git" >.git`,
		"a file beside no .git": `rm .git; echo mine >mine`,
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newNested(t)
			killed(t, r, "submodules 99")
			child := r.world() + "/child"
			r.shell(child+"/lib/sub", script)
			before := everything(t, child)
			got := recovered(t, r)
			if len(got) != 1 || got[0].Action != "kept" || len(got[0].Paths) == 0 || !strings.HasPrefix(got[0].Paths[0], child+"/lib/sub") {
				t.Errorf("%+v", got)
			}
			if after := everything(t, child); after != before {
				t.Errorf("not as before:\n%s", difference(before, after))
			}
		})
	}
}

// TestForkOfAForkHasSubmodulesOfItsOwn: a child's submodules outlive its parent, and what git does in them does not reach
// the parent's.
func TestForkOfAForkHasSubmodulesOfItsOwn(t *testing.T) {
	t.Parallel()
	r := newNested(t)
	ctx := context.Background()
	child, plan, _, err := r.fork(Options{})
	if err != nil {
		t.Fatal(explain(err))
	}
	plan.Close()
	before := everything(t, r.top)
	at := opened(t, child)
	again, err := Look(ctx, at, at.Head, Options{})
	must(t, err)
	defer again.Close()
	grandchild := r.world() + "/grandchild"
	r.git("-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "-b", "grandchild", grandchild, "HEAD")
	if _, err = again.Into(ctx, openAt(t, grandchild), new(steps), nil); err != nil {
		t.Fatal(explain(err))
	}
	r.shell(child, `cd lib/sub; git submodule update; git commit -qam mine; cd ../..; git commit -qam mine; git submodule update --init --recursive`)
	r.git("worktree", "remove", "--force", child)
	after := everything(t, r.top)
	ours, theirs := r.shell(r.top+"/lib/sub", `git status -s; git -C in/deep status -s; git fsck 2>&1`), r.shell(grandchild+"/lib/sub", `git status -s; git -C in/deep status -s; git fsck 2>&1`)
	if ours != theirs || !strings.Contains(ours, "deeper") && !strings.Contains(ours, "M f") {
		t.Errorf("parent:\n%s\ngrandchild:\n%s", ours, theirs)
	}
	if _, err := os.Lstat(r.path(".git/worktrees/child")); err == nil {
		t.Error("the child's stores are left")
	}
	skip := func(s string) string { // what git itself wrote for the worktrees
		return strings.Join(slices.DeleteFunc(strings.Split(s, "\n"), func(l string) bool {
			return strings.HasPrefix(l, `".git/`) && !strings.HasPrefix(l, `".git/modules/`) || strings.HasPrefix(l, `".git" `)
		}), "\n")
	}
	if skip(after) != skip(before) {
		t.Errorf("the parent:\n%s", difference(skip(before), skip(after)))
	}
}

// What would be refused in a submodule is refused before anything is written, and says where.
func TestRefusalsInsideASubmoduleComeFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script, code, path string
		limits             Limits
	}{
		"conflict":       {script: `git switch -qc x HEAD~1; echo 3 >f; git commit -qam 3; git merge main || :; rm ../../.git/modules/lib/sub/MERGE_HEAD`, code: "unmerged", path: "lib/sub/f"},
		"merge":          {script: `git switch -qc x HEAD~1; echo 3 >o; git add o; git commit -qm 3; git merge -q --no-commit main`, code: "operationInProgress", path: "merge (in the submodule lib/sub)"},
		"bisect":         {script: `git bisect start -q`, code: "operationInProgress", path: "bisect (in the submodule lib/sub)"},
		"limit of files": {script: `for i in 1 2 3; do echo $i >u$i; done; echo 1 >../../u1; echo 2 >../../u2`, code: "tooManyFiles", path: "5", limits: Limits{Files: 4}},
		"limit inside":   {script: `for i in 1 2 3 4 5; do echo $i >u$i; done`, code: "tooManyFiles", path: "5", limits: Limits{Files: 4}},
		"limit of bytes": {script: `head -c 600 /dev/zero >u; head -c 600 /dev/zero >../../u`, code: "tooManyBytes", limits: Limits{Bytes: 1000}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newSuper(t)
			r.shell(r.top+"/lib/sub", c.script)
			before := everything(t, r.world())
			at := opened(t, r.top)
			plan, err := Look(context.Background(), at, at.Head, Options{Limits: c.limits})
			must(t, err)
			defer plan.Close()
			no := plan.Refused()
			if no == nil || no.Code != c.code || len(plan.Refusals) != 1 {
				t.Fatalf("%+v", plan.Refusals)
			}
			if c.path != "" && !slices.Contains([]string{no.Args["path"], no.Args["paths"], no.Args["operation"], no.Args["count"]}, c.path) {
				t.Errorf("%v", no.Args)
			}
			unchanged(t, r, before)
		})
	}
	t.Run("unreadable", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() == 0 {
			t.Skip("root reads everything")
		}
		r := newSuper(t)
		must(t, os.Chmod(r.path("lib/sub/d"), 0))
		t.Cleanup(func() { os.Chmod(r.path("lib/sub/d"), 0o755) })
		at := opened(t, r.top)
		plan, err := Look(context.Background(), at, at.Head, Options{})
		must(t, err)
		defer plan.Close()
		if no := plan.Refused(); no == nil || no.Code != "unreadable" || no.Args["path"] != "lib/sub/d" {
			t.Errorf("%+v", plan.Refusals)
		}
	})
}

// TestSubmoduleThatMovesMeanwhile: what moves in a submodule during the copy is taken again, and a commit there ends it.
func TestSubmoduleThatMovesMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, code string }{
		"an edit":             {`echo later >>f`, ""},
		"a new file":          {`echo later >later`, ""},
		"a staged file":       {`echo later >later; git add later`, ""},
		"a file goes":         {`rm s`, ""},
		"a commit":            {`git commit -qam later`, "parentMoved"},
		"the outer index":     {`cd ../..; echo later >later; git add later`, "parentChanging"},
		"the outer commit":    {`cd ../..; git commit -qam later`, "parentMoved"},
		"the pointer, staged": {`cd ../..; git update-index --cacheinfo 160000,1111111111111111111111111111111111111111,lib/sub`, "parentChanging"},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newSuper(t)
			r.shell(r.top+"/lib/sub", changeAll)
			at := opened(t, r.top)
			plan, err := Look(context.Background(), at, at.Head, Options{})
			must(t, err)
			defer plan.Close()
			once := false
			plan.subs[0].plan.between = func(string) {
				if !once {
					once = true
					r.shell(r.top+"/lib/sub", c.script)
				}
			}
			o := begun(t, at)
			child := created(t, o, r.world()+"/child", "child")
			_, err = plan.Into(context.Background(), child, o, nil)
			if c.code != "" {
				if refusal(err) != c.code {
					t.Error(explain(err))
				}
				if err := o.RollBack(context.Background()); err != nil {
					t.Error(stuck(err))
				}
				return
			}
			if err != nil {
				t.Fatal(explain(err))
			}
			if d := compareTrees(t, r.path("lib/sub"), child.Path+"/lib/sub", nil); d != "" {
				t.Error(d)
			}
			if said, err := tryGit(child.Path+"/lib/sub", "fsck", "--no-dangling"); err != nil {
				t.Error(said, err)
			}
		})
	}
}

// A carry into a workspace that exists brings the pointer, and leaves submodules to it.
func TestCarryIntoAnExistingWorkspaceLeavesSubmodules(t *testing.T) {
	t.Parallel()
	r := newSuper(t)
	r.shell(r.top, `cd lib/sub; git commit -q --allow-empty -m c; cd -; git add lib/sub; cd lib/sub; `+changeAll)
	target := r.world() + "/target"
	r.git("worktree", "add", "-q", target, "HEAD")
	at, ctx := opened(t, r.top), context.Background()
	plan, err := Look(ctx, at, at.Head, Options{})
	must(t, err)
	defer plan.Close()
	must(t, plan.Against(ctx, opened(t, target)))
	if no := plan.Refused(); no != nil {
		t.Fatal(explain(no))
	}
	o, err := Begin(ctx, at, uuid.NewString())
	must(t, err)
	defer o.Close()
	result, err := plan.Into(ctx, opened(t, target), o, nil)
	if err != nil {
		t.Fatal(explain(err))
	}
	if !slices.Equal(result.Left, []Left{{"lib/sub", "submodule"}}) || result.Numbers.Tracked != 1 || result.Numbers.Untracked != 0 {
		t.Errorf("%+v", result)
	}
	if got, want := gitIn(t, target, "rev-parse", ":lib/sub"), r.git("rev-parse", ":lib/sub"); got != want {
		t.Errorf("the pointer is %s, want %s", got, want)
	}
	if inside, _ := os.ReadDir(filepath.Join(target, "lib/sub")); len(inside) > 0 {
		t.Error(inside)
	}
}

func TestUnstageReachesIntoSubmodules(t *testing.T) {
	t.Parallel()
	r := newSuper(t)
	r.shell(r.top, `git submodule --quiet add ../inner fresh; cd lib/sub; echo e >>f; git add f`)
	child, _, result, err := r.fork(Options{Unstage: true})
	if err != nil {
		t.Fatal(explain(err))
	}
	if got := gitIn(t, child+"/lib/sub", "status", "-s"); got != " M f\n" {
		t.Errorf("%q", got)
	}
	if !slices.Contains(result.Left, Left{"fresh", "submodule"}) {
		t.Error(result.Left)
	}
}
