//go:build unix

package carry

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shell runs a script of bash in a folder of the test's world, with an identity and the file transport allowed, as a
// person would have who sets a superproject up.
func (r *repo) shell(dir, script string) string {
	r.Helper()
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// newSuper is a repository with a submodule at lib/sub, whose origin is beside it, and an edit of its own.
func newSuper(t testing.TB, initArgs ...string) *repo {
	t.Helper()
	r := newRepo(t, initArgs...)
	r.shell(r.world(), `git init -q -b main `+strings.Join(initArgs, " ")+` inner; cd inner; echo one >f; mkdir d; echo g >d/g; printf '*.log\n' >.gitignore
		echo del >del; git add .; git commit -qm 1; echo two >f; git commit -qam 2`)
	r.shell(r.top, `git submodule --quiet add file://${PWD%/*}/inner lib/sub; git commit -qm sub; echo edited >>a.txt`)
	return r
}

// all changes of one submodule, of each kind.
const changeAll = `echo staged >s; git add s; echo again >>s; echo edited >>f; rm del; echo new >n; mkdir e; echo deep >e/x; chmod 600 n; ln -s f l
	git mv d/g d/h; echo announced >i; git add -N i; `

// TestSubmodulesComeAsTheyAre forks superprojects whose submodule is in each kind of state. Judges hold the child's
// submodules against the parent's, and the parent with all its stores against what it was.
func TestSubmodulesComeAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		init   []string
		script string   // in the parent; $S is its submodule
		left   []string // "path reason", but for what is ignored
	}{
		"clean":                       {},
		"another commit":              {script: `git -C $S checkout -q HEAD~1`},
		"a commit of its own":         {script: `cd $S; echo c >>f; git commit -qam c`},
		"a commit of its own, staged": {script: `cd $S; echo c >>f; git commit -qam c; cd -; git add lib/sub; cd $S; echo d >>f; git commit -qam d`},
		"on a branch":                 {script: `cd $S; git switch -qc topic/x; echo c >>f; git commit -qam c`},
		"detached":                    {script: `git -C $S checkout -q --detach`},
		"dirty":                       {script: `cd $S; echo e >>f`},
		"staged":                      {script: `cd $S; echo e >>f; git add f`},
		"untracked":                   {script: `cd $S; echo u >u; mkdir e; echo x >e/x`},
		"ignored":                     {script: `cd $S; echo u >u.log; echo '*' >>../../.git/info/exclude; echo f >.worktreeinclude`, left: []string{"lib/sub/u.log ignored"}},
		"everything at once":          {script: `cd $S; ` + changeAll},
		"bits":                        {script: `cd $S; git update-index --assume-unchanged f; git update-index --skip-worktree del; echo hidden >f; rm del`},
		"special files inside":        {script: `cd $S; mkfifo p; git init -q nest; cd nest; git commit -q --allow-empty -m n`, left: []string{"lib/sub/nest nestedRepository", "lib/sub/p specialFile"}},
		"packed":                      {script: `cd $S; git pack-refs --all; git gc -q; ` + changeAll},
		"split index":                 {script: `cd $S; git update-index --split-index; ` + changeAll},
		"sha256":                      {init: []string{"--object-format=sha256"}, script: `cd $S; ` + changeAll},
		"sparse":                      {script: `cd $S; git sparse-checkout set d; echo more >>d/g; echo top >>f`},
		"sparse by patterns":          {script: `cd $S; git sparse-checkout set --no-cone '/*' '!/d/'; echo more >>f`},
		"shallow":                     {script: `git submodule --quiet deinit -f lib/sub; rm -rf .git/modules; git config submodule.lib/sub.url "file://${PWD%/*}/inner"; git submodule --quiet update --init --depth 1; test -e .git/modules/lib/sub/shallow; cd $S; ` + changeAll},
		"alternates":                  {script: `git submodule --quiet deinit -f lib/sub; rm -rf .git/modules; git submodule --quiet update --init --reference ../inner; test -e .git/modules/lib/sub/objects/info/alternates; cd $S; ` + changeAll},
		"uninitialised":               {script: `git submodule --quiet deinit -f lib/sub`},
		"removed by git rm":           {script: `git rm -q lib/sub`},
		"removed from the index":      {script: `git rm -q --cached lib/sub`, left: []string{"lib/sub nestedRepository"}},
		"moved":                       {script: `git mv lib/sub elsewhere; cd elsewhere; ` + changeAll},
		"added newly":                 {script: `git submodule --quiet add ../inner fresh/sub; cd fresh/sub; ` + changeAll},
		"added without .gitmodules":   {script: `git clone -q --no-hardlinks ../inner emb; git add emb 2>/dev/null; cd emb; ` + changeAll},
		"an old inline store":         {script: `git clone -q --no-hardlinks ../inner old; git submodule --quiet add ../inner old; git commit -qm old; cd old; test -d .git; ` + changeAll},
		"a name that is not its path": {script: `git submodule --quiet add --name 'the name' ../inner other; cd other; ` + changeAll},
		"two levels": {script: `R=$PWD; git init -q ../deep; echo d >../deep/d; git -C ../deep add d; git -C ../deep commit -qm d; cd $S; git submodule --quiet add $R/../deep in/deep; git commit -qm deep
			cd in/deep; echo deeper >>d; echo u >u; git add u; cd ../..; ` + changeAll},
		"several":             {script: `for n in one two three; do git submodule --quiet add ../inner $n; (cd $n; echo $n >>f); done`},
		"a linked parent":     {script: `git commit -qam all; git worktree add -q ../linked; cd ../linked; git submodule --quiet update --init; cd lib/sub; ` + changeAll + `echo; echo "TOP=$PWD/../.."`},
		"by a linked one":     {script: `git -C $S branch keep; git submodule --quiet deinit -f lib/sub; rmdir lib/sub; git --git-dir=.git/modules/lib/sub worktree add -q --detach lib/sub; cd lib/sub; ` + changeAll},
		"fetch is never made": {script: `cd $S; git remote set-url origin 'ext::sh -c "touch ran"'; git config -f ../../.gitmodules submodule.lib/sub.url 'ext::sh -c "touch ran"'; ` + changeAll},
		"names of .gitmodules that lead out": {script: `for n in ../../evil -u./evil /evil; do git config -f .gitmodules "submodule.$n.path" lib/sub; git config -f .gitmodules "submodule.$n.url" 'ext::sh -c "touch ran"'; git config -f .gitmodules "submodule.$n.update" '!touch ran'; done
			git config submodule.recurse true; cd $S; ` + changeAll},
		"hooks in the store": {script: `mkdir -p .git/modules/lib/sub/hooks; for h in post-checkout post-index-change reference-transaction; do printf '#!/bin/sh\n: >>"'$PWD'/ran"\n' >.git/modules/lib/sub/hooks/$h; chmod +x .git/modules/lib/sub/hooks/$h; done; cd $S; echo e >>f`},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newSuper(t, c.init...)
			top := r.top
			for line := range strings.Lines(r.shell(r.top, "S=lib/sub; "+c.script)) {
				if at, ok := strings.CutPrefix(strings.TrimSpace(line), "TOP="); ok {
					top = at
				}
			}
			top, err := filepath.EvalSymlinks(top)
			must(t, err)
			result := r.judged(top)
			var left []string
			for _, l := range result.Left {
				left = append(left, l.Path+" "+l.Reason)
			}
			if !slices.Equal(left, c.left) {
				t.Errorf("left %q, want %q", left, c.left)
			}
			if _, err := os.Lstat(r.path("ran")); err == nil {
				t.Error("a program of the repository was run")
			}
		})
	}
}

// TestSubmoduleOfSomebodyElseStays forks superprojects whose submodule leads, or would lead git, somewhere else, or cannot
// be copied. It is named; no program that it names runs, and nothing of it is in the child.
func TestSubmoduleOfSomebodyElseStays(t *testing.T) {
	t.Parallel()
	const store = `M=.git/modules/lib/sub; `
	for name, c := range map[string]struct{ script, reason string }{
		"gitdir outside":              {`git clone -q --bare ../inner ../bare; echo "gitdir: $PWD/../bare" >$S/.git`, "submoduleElsewhere"},
		"gitdir of another repo":      {`echo "gitdir: $PWD/../inner/.git" >$S/.git`, "submoduleElsewhere"},
		"gitdir with dots":            {`echo "gitdir: ../../.git/modules/../../../inner/.git" >$S/.git`, "submoduleElsewhere"},
		"gitdir is the outer one":     {`echo "gitdir: ../../.git" >$S/.git`, "submoduleElsewhere"},
		"gitdir is modules":           {`echo "gitdir: ../../.git/modules" >$S/.git`, "submoduleElsewhere"},
		"gitdir of a linked worktree": {`git worktree add -q ../w; echo "gitdir: $PWD/.git/worktrees/w" >$S/.git`, "submoduleElsewhere"},
		".git is a link":              {`rm $S/.git; ln -s ../../.git/modules/lib/sub $S/.git`, "submoduleElsewhere"},
		".git is a pipe":              {`rm $S/.git; mkfifo $S/.git`, "submoduleElsewhere"},
		".git is garbage":             {`echo hello >$S/.git`, "submodule"},
		".git is gone":                {`rm $S/.git`, "submodule"},
		"store is a link":             {store + `mv $M ../away; ln -s $PWD/../away $M`, "submoduleElsewhere"},
		"modules is a link":           {`mv .git/modules ../away; ln -s $PWD/../away .git/modules`, "submoduleElsewhere"},
		"objects is a link":           {store + `mv $M/objects ../away; ln -s $PWD/../away $M/objects`, "submoduleElsewhere"},
		"config is a link":            {store + `mv $M/config ../away; ln -s $PWD/../away $M/config`, "submoduleElsewhere"},
		"commondir elsewhere":         {store + `echo ../../../../../inner/.git >$M/commondir`, "submoduleElsewhere"},
		"inline with commondir":       {`git clone -q ../inner $S.old; rm -rf $S; mv $S.old $S; echo ../../../../inner/.git >$S/.git/commondir`, "submoduleElsewhere"},
		"core.worktree elsewhere":     {store + `git config -f $M/config core.worktree $PWD/../inner`, "submoduleElsewhere"},
		"store is gone":               {store + `rm -rf $M`, "submodule"},
		"store has no objects":        {store + `rm -rf $M/objects`, "submodule"},
		"store has lost its commit":   {store + `rm -rf $M/objects; mkdir $M/objects`, "submodule"},
		"store has no HEAD":           {store + `rm $M/HEAD`, "submodule"},
		"HEAD is unborn":              {store + `echo ref: refs/heads/none >$M/HEAD`, "submodule"},
		"HEAD is strange":             {store + `echo ref: refs/heads/../../x >$M/HEAD`, "submodule"},
		"partial clone":               {store + `git config -f $M/config remote.origin.promisor true; git config -f $M/config remote.origin.url 'ext::sh -c "touch ran"'`, "submodule"},
		"hooksPath":                   {store + `git config -f $M/config core.hooksPath $PWD/../hooks`, "submoduleConfig"},
		"fsmonitor": {store + `printf '#!/bin/sh\n: >"'$PWD'/ran"\n' >../mon; chmod +x ../mon
			git config -f $M/config core.fsmonitor $PWD/../mon`, "submoduleConfig"},
		"filter": {store + `git config -f $M/config filter.x.clean "touch '$PWD/ran'; cat"; git config -f $M/config filter.x.smudge "touch '$PWD/ran'; cat"
			echo '* filter=x' >$S/.gitattributes; echo e >>$S/f`, "submoduleConfig"},
		"include":    {store + `printf '[filter "x"]\nclean = touch ran\n' >../more; git config -f $M/config include.path $PWD/../more`, "submoduleConfig"},
		"include if": {store + `git config -f $M/config 'includeIf.gitdir:/.path' $PWD/../more`, "submoduleConfig"},
		"two at one store": {`git submodule --quiet add ../inner zwei; git commit -qm zwei; echo "gitdir: ../.git/modules/lib/sub" >zwei/.git
			git config -f .git/modules/lib/sub/config --unset core.worktree; S=zwei`, "submodule"},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newSuper(t)
			at := strings.TrimSpace(r.shell(r.top, "S=lib/sub; "+c.script+"\necho $S"))
			at = at[strings.LastIndexByte(at, '\n')+1:]
			result := r.judged(r.top)
			if !slices.Contains(result.Left, Left{Path: at, Reason: c.reason}) {
				t.Errorf("left %v, want %s %s", result.Left, at, c.reason)
			}
			counts, err := Survey(context.Background(), opened(t, r.top))
			must(t, err)
			if !slices.Contains(counts.Left, Left{Path: at, Reason: c.reason}) {
				t.Errorf("the survey leaves %v, want %s %s", counts.Left, at, c.reason)
			}
			for _, ran := range []string{r.path("ran"), r.path("lib/sub/ran"), filepath.Join(r.world(), "ran")} {
				if _, err := os.Lstat(ran); err == nil {
					t.Errorf("%s: a program of the repository was run", ran)
				}
			}
		})
	}
}

// Where git itself cannot read the workspace because of a submodule there is nothing to carry by.
func TestForkIsRefusedWhereGitCannotReadASubmodule(t *testing.T) {
	t.Parallel()
	r := newSuper(t)
	r.shell(r.top, `echo '[' >>.git/modules/lib/sub/config`)
	before := everything(t, r.world())
	at := opened(t, r.top)
	if plan, err := Look(context.Background(), at, at.Head, Options{}); err == nil {
		plan.Close()
		t.Error("no error")
	}
	unchanged(t, r, before)
}
