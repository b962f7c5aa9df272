//go:build unix

package carry

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sidefork/sidefork/carry/worktree"
)

// lookedAtMissing is lookedAt for a workspace whose folder is gone.
func lookedAtMissing(t testing.TB, r *repo, top string, branch bool) *Removal {
	t.Helper()
	family, err := opened(t, r.top).Siblings(t.Context())
	must(t, err)
	removal, err := LookToRemove(t.Context(), listedAt(t, r, top), family, branch)
	if err != nil {
		t.Fatal(explain(err))
	}
	t.Cleanup(removal.Close)
	return removal
}

func TestAWorkspaceThatIsGoneIsRemovedAloneAndLosesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string // in the workspace, before it goes
		gone   string // how it goes, in the folder above; "" for rm
		branch bool
		want   string
		stored bool
	}{
		"nothing to lose":             {},
		"with its branch":             {branch: true},
		"what was staged":             {script: `echo staged >s; git add s; git rm -q --cached a.txt`, want: "uncommitted", stored: true},
		"commits that go with it":     {script: `git commit -q --allow-empty -m c`, branch: true, want: "onlyHere", stored: true},
		"commits of a branch":         {script: `git commit -q --allow-empty -m c`},
		"commits of a detached HEAD":  {script: `git switch -q --detach; git commit -q --allow-empty -m c`, want: "onlyHere", stored: true},
		"locked":                      {script: `git worktree lock --reason usb .`, want: "lockedMissing"},
		"a store of a submodule":      {script: `mkdir -p "$(git rev-parse --git-dir)/modules/sub"`, want: "submoduleUnknown"},
		"its .git alone":              {gone: `rm try/.git`},
		"its branch is elsewhere too": {script: `git worktree add -q -f ../again try`, branch: true, want: "branchElsewhere"},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			top, other, child := linked(t, r), filepath.Join(r.world(), "other"), filepath.Join(r.world(), "child")
			r.git("worktree", "add", "-q", "-b", "other", other)
			r.git("worktree", "add", "-q", "-b", "child", child)
			must(t, worktree.WriteLineage(opened(t, top).GitDir, worktree.Lineage{Parent: r.top, Operation: "x"}))
			must(t, worktree.WriteLineage(opened(t, child).GitDir, worktree.Lineage{Parent: top, Operation: "x"}))
			r.shell(top, c.script)
			if c.gone == "" {
				c.gone = `rm -r try`
			}
			r.shell(r.world(), c.gone+`; rm -r other`) // another one that is gone stays registered
			before := everything(t, r.world())
			removal := lookedAtMissing(t, r, top, c.branch)
			if got := codes(removal); got != c.want {
				t.Fatalf("refused %q, not %q", got, c.want)
			}
			unchanged(t, r, before)
			if c.want != "" && !c.stored {
				return
			}
			o := begun(t, removal.from)
			saved, err := o.Remove(t.Context(), removal)
			if err != nil {
				t.Fatal(explain(err))
			}
			must(t, o.Close())
			if !nothingAt(filepath.Join(r.top, ".git", "worktrees", "try")) || nothingAt(filepath.Join(r.top, ".git", "worktrees", "other")) {
				t.Error("not it alone")
			}
			if stands := r.git("branch", "--list", "try") != ""; stands == c.branch {
				t.Errorf("the branch stands: %v", stands)
			}
			if l, err := worktree.ReadLineage(opened(t, child).GitDir); err != nil || l.Parent != r.top {
				t.Errorf("the child's parent: %+v %v", l, err)
			}
			if c.gone == `rm try/.git` && nothingAt(top+"/a.txt") {
				t.Error("what was not looked at has gone")
			}
			if len(saved) > 0 != c.stored {
				t.Fatalf("saved %+v", saved)
			}
			if c.stored {
				r.shell(r.top, `test "$(git rev-parse `+saved[0].Ref+`)" = `+saved[0].Head+` || test "$(git diff --name-status `+saved[0].Ref+`^1 `+saved[0].Ref+`^2)" = $'D\ta.txt\nA\ts'`)
			}
		})
	}
}

// TestAWorkspaceThatComesBackMeanwhileIsNotRemoved: it lay on a disk that was away.
func TestAWorkspaceThatComesBackMeanwhileIsNotRemoved(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		r := newRepo(t)
		top := linked(t, r)
		must(t, os.Rename(top, top+".away"))
		removal := lookedAtMissing(t, r, top, true)
		back := func() { must(t, os.Rename(top+".away", top)) }
		if late {
			removal.between = back
		} else {
			back()
		}
		o := begun(t, removal.from)
		_, err := o.Remove(t.Context(), removal)
		if stuck := o.Stuck(err) != nil; stuck != late || err == nil {
			t.Fatal(explain(err))
		}
		if !late && refusal(err) != "targetMoved" {
			t.Fatal(explain(err))
		}
		if !late {
			must(t, o.RollBack(t.Context()))
		}
		must(t, o.Close())
		recovered(t, r)
		r.shell(top, `git status`)
	}
}
