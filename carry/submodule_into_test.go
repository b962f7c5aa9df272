//go:build unix

package carry

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/test/compare"
)

// beside makes another workspace of a superproject, with its submodules checked out, and runs a script there.
func (r *repo) beside(script string) (target string) {
	r.Helper()
	target = r.world() + "/target"
	r.shell(r.top, `git worktree add -q `+target+` HEAD; cd `+target+`; git submodule --quiet update --init --recursive; S=lib/sub; `+script)
	return target
}

// carryBeside carries into it, and gives the operation, which is open still.
func (r *repo) carryBeside(target string, between func(target string)) (*Operation, *Plan, *Result, error) {
	r.Helper()
	at, ctx := opened(r, r.top), context.Background()
	plan, err := Look(ctx, at, at.Head, Options{})
	must(r, err)
	r.Cleanup(plan.Close)
	must(r, plan.Against(ctx, opened(r, target)))
	if no := plan.Refused(); no != nil {
		return nil, plan, nil, no
	}
	plan.between = between
	o, err := Begin(ctx, at, uuid.NewString())
	must(r, err)
	r.Cleanup(func() { o.Close() })
	result, err := plan.Into(ctx, opened(r, target), o, nil)
	return o, plan, result, err
}

// all but the objects of stores, which a carry that is taken back may leave.
func withoutObjects(all string) string {
	var kept []string
	for line := range strings.Lines(all) {
		if !strings.Contains(line, "/objects/") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// TestSubmodulesOfAnExistingWorkspaceGetTheChanges where both have them checked out at one commit; else they are named.
func TestSubmodulesOfAnExistingWorkspaceGetTheChanges(t *testing.T) {
	t.Parallel()
	const move = `echo x >x; git add x; git commit -qm x; `
	for name, c := range map[string]struct {
		source, target string // scripts in each; $S is its submodule
		left           []string
		refused        string // "code path"
		apart          bool   // the outer commits differ: the two need not be equal
	}{
		"every state":                            {source: `cd $S; ` + changeAll},
		"every state, packed":                    {source: `cd $S; ` + changeAll + `git -c gc.pruneExpire=never repack -qad; git prune-packed`},
		"nothing":                                {},
		"one file":                               {source: `cd $S; echo e >>f; git add f`},
		"on a branch there":                      {source: `cd $S; echo e >>f`, target: `git -C $S switch -qc topic`},
		"to another outer commit":                {source: `cd $S; ` + changeAll, target: move, apart: true},
		"two levels":                             {source: `cd $S/in/deep; echo deeper >>d; echo u >u; git add u; cd ../..; ` + changeAll},
		"a folder that is gone there":            {source: `cd $S; ` + changeAll, target: `rm -rf $S; mkdir $S`, left: []string{"lib/sub submodule"}},
		"not checked out there":                  {source: `cd $S; ` + changeAll, target: `git submodule --quiet deinit -f lib/sub`, left: []string{"lib/sub submodule"}},
		"at another commit here":                 {source: `cd $S; git checkout -q HEAD~1; echo u >u`, left: []string{"lib/sub submodule"}},
		"at a staged commit here":                {source: `cd $S; git checkout -q HEAD~1; echo u >u; cd -; git add lib/sub`, left: []string{"lib/sub submodule"}},
		"at another commit there":                {source: `cd $S; echo u >u`, target: `git -C $S checkout -q HEAD~1`, refused: "targetDirty lib/sub"},
		"changes there":                          {source: `cd $S; echo u >u`, target: `echo e >>$S/f`, refused: "targetDirty lib/sub/f"},
		"changes there alone":                    {target: `echo new >>$S/mine`, refused: "targetDirty lib/sub/mine"},
		"an ignored file in the way":             {source: `cd $S; echo '!n' >>.gitignore; echo n >n`, target: `cd $S; echo n >>$(git rev-parse --git-path info/exclude); echo mine >n`, refused: "targetDirty lib/sub/n"},
		"git at work there":                      {source: `cd $S; echo u >u`, target: `cd $S; : >$(git rev-parse --git-dir)/index.lock`, refused: "indexLocked"},
		"a configuration that names programs":    {source: `cd $S; echo u >u`, target: `cd $S; git config core.hooksPath /x`, left: []string{"lib/sub submodule"}},
		"a store that is not in the git folder":  {source: `cd $S; echo u >u`, target: `rm -rf $S; git clone -q --no-hardlinks ../inner $S; git -C $S checkout -q --detach`, left: []string{"lib/sub submodule"}},
		"a repository of its own in its place":   {source: `cd $S; echo u >u`, target: `rm -rf $S; git clone -q --separate-git-dir=../elsewhere.git ../inner $S; git -C $S checkout -q --detach`, left: []string{"lib/sub submodule"}},
		"git in the middle of something here":    {source: `cd $S; git switch -qc a; echo a >f; git commit -qam a; git switch -qc b HEAD~1; echo b >f; git commit -qam b; git merge -q a || :`, refused: "operationInProgress"},
		"one that is special, one nested inside": {source: `cd $S; mkfifo p; git init -q nest; git -C nest commit -q --allow-empty -m n; echo u >u`, left: []string{"lib/sub/nest nestedRepository", "lib/sub/p specialFile"}},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newSuper(t)
			if name == "two levels" {
				r.shell(r.top, `R=$PWD; git init -q ../deep; echo d >../deep/d; git -C ../deep add d; git -C ../deep commit -qm d; cd lib/sub; git submodule --quiet add $R/../deep in/deep; git commit -qm deep
					git push -q origin HEAD:refs/heads/deep; cd ../..; git add lib/sub; git commit -qm deeper`)
			}
			target := r.beside(c.target)
			r.shell(r.top, "S=lib/sub; "+c.source)
			before := everything(t, r.world())
			o, plan, result, err := r.carryBeside(target, nil)
			if c.refused != "" {
				code, path, _ := strings.Cut(c.refused, " ")
				if refusal(err) != code || path != "" && plan.Refused().Args["path"] != path {
					t.Errorf("%v, want %s", explain(err), c.refused)
				}
				unchanged(t, r, before)
				return
			}
			if err != nil {
				t.Fatal(explain(err))
			}
			var left, paths []string
			for _, l := range result.Left {
				left, paths = append(left, l.Path+" "+l.Reason), append(paths, l.Path)
			}
			if !slices.Equal(left, c.left) {
				t.Errorf("left %q, want %q", left, c.left)
			}
			if top, there := r.top, target; !slices.Contains(left, "lib/sub submodule") {
				if c.apart {
					top, there = top+"/lib/sub", there+"/lib/sub"
				}
				for _, d := range compare.Trees(top, there, compare.Options{Index: true, Submodules: true, FolderModes: true, Leave: paths, Home: os.Getenv("HOME")}) {
					t.Errorf("the target: %v", d)
				}
				if said, err := tryGit(target+"/lib/sub", "fsck", "--no-dangling"); err != nil {
					t.Error(said, err)
				}
			}
			must(t, o.RollBack(context.Background()))
			must(t, o.Close())
			if was, is := withoutObjects(before), withoutObjects(everything(t, r.world())); was != is {
				t.Errorf("not as before:\n%s", difference(was, is))
			}
		})
	}
}

// TestSubmodulesOfALivingParentComeAtOneMoment edits outside and inside while the first round is proved.
func TestSubmodulesOfALivingParentComeAtOneMoment(t *testing.T) {
	t.Parallel()
	r := newSuper(t)
	target := r.beside("")
	r.shell(r.top, `cd lib/sub; `+changeAll)
	rounds := 0
	o, _, _, err := r.carryBeside(target, func(string) {
		if rounds++; rounds == 1 {
			r.shell(r.top, `echo more >>a.txt; echo later >later; echo later >>lib/sub/n; git -C lib/sub add n`)
		}
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	for _, d := range compare.Trees(r.top, target, compare.Options{Index: true, Submodules: true, FolderModes: true, Home: os.Getenv("HOME")}) {
		t.Errorf("the target: %v", d)
	}
	must(t, o.Keep())
	must(t, o.Close())
	left, err := filepath.Glob(r.path(".git/worktrees/target/modules/lib/sub/" + asidePrefix + "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("what was put aside is left: %v, %v", left, err)
	}
}

// TestACarryIntoASubmoduleIsTakenBackByTheNextStart lets the process die after everything is written, and keeps what was
// done in the target's submodule since.
func TestACarryIntoASubmoduleIsTakenBackByTheNextStart(t *testing.T) {
	t.Parallel()
	for name, since := range map[string]string{"nothing since": "", "an edit since": `echo mine >>lib/sub/f`, "staged since": `cd lib/sub; git add -A`, "a commit since": `cd lib/sub; git add -A; git commit -qm mine`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newSuper(t)
			target := r.beside("")
			r.shell(r.top, `cd lib/sub; `+changeAll)
			before := withoutObjects(everything(t, r.world()))
			o, _, _, err := r.carryBeside(target, nil)
			if err != nil {
				t.Fatal(explain(err))
			}
			must(t, o.journal.file.Close())
			o.lock.release()
			o.sourceLock.release()
			o.lock = nil
			r.shell(target, since+"\n:")
			got := recovered(t, r)
			if len(got) != 1 || got[0].Workspace != target || (got[0].Action == "rolledBack") != (since == "") {
				t.Errorf("%+v", got)
			}
			after := withoutObjects(everything(t, r.world()))
			if since == "" && before != after {
				t.Errorf("not as before:\n%s", difference(before, after))
			}
			if since != "" && len(got) == 1 && !slices.ContainsFunc(got[0].Paths, func(p string) bool { return strings.HasPrefix(p, target+"/lib/sub") }) {
				t.Errorf("it does not say where: %+v", got[0])
			}
			if name == "an edit since" {
				if text, _ := os.ReadFile(target + "/lib/sub/f"); !strings.Contains(string(text), "mine") {
					t.Errorf("the edit is gone: %q", text)
				}
			}
		})
	}
}
