//go:build unix

package carry

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/compare"
	judge "github.com/sidefork/sidefork/test/snapshot"
)

// judged forks a worktree as the product does, takes the fork back, and holds the parent against what it was after each
// step, and the child against the parent, by judges that know nothing of the product.
func (r *repo) judged(top string) *Result {
	r.Helper()
	ctx := context.Background()
	take := func() judge.Snapshot {
		s, err := judge.Take(top)
		must(r, err)
		return s
	}
	before := take()
	same := func(when string, allow ...judge.Allow) {
		r.Helper()
		for _, line := range judge.Diff(before, take(), allow...) {
			r.Errorf("the parent after %s: %s", when, line)
		}
	}
	at := opened(r, top)
	plan, err := Look(ctx, at, at.Head, Options{})
	if err != nil {
		r.Fatal(explain(err))
	}
	defer plan.Close()
	same("the look")
	o := begun(r, at)
	child := filepath.Join(r.world(), "child")
	made, err := o.Create(ctx, CreateRequest{Path: child, Branch: "child", Base: at.Head, Like: plan})
	if err != nil {
		r.Fatal(explain(err))
	}
	result, err := plan.Into(ctx, made, o, nil)
	if err != nil {
		r.Fatal(explain(err))
	}
	same("the fork", judge.Branch("child"), judge.Worktrees())
	var left []string
	for _, l := range result.Left {
		left = append(left, l.Path)
	}
	for _, d := range compare.Trees(top, child, compare.Options{Index: true, Submodules: true, FolderModes: true, Leave: left, Home: os.Getenv("HOME")}) {
		r.Errorf("the child: %v", d)
	}
	must(r, o.RollBack(ctx))
	must(r, o.Close())
	same("the roll-back")
	return result
}

// dirty is a change of each kind.
func (r *repo) dirty() {
	r.Helper()
	r.write("a.txt", "edited\n")
	r.write("n.txt", "n\n")
	r.write("s.txt", "s\n")
	r.git("add", "s.txt")
	r.remove("docs/c.md")
	r.link("a.txt", "l")
	r.write("x.log", "ignored\n")
}

// TestParentStaysAsItIsWhateverItsGitIs forks repositories whose index or git folder is of another kind.
func TestParentStaysAsItIsWhateverItsGitIs(t *testing.T) {
	t.Parallel()
	shell := func(script string) func(r *repo) string {
		return func(r *repo) string {
			r.Helper()
			cmd := exec.Command("bash", "-euc", script)
			cmd.Dir = r.top
			cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid",
				"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always")
			out, err := cmd.CombinedOutput()
			if err != nil {
				r.Fatalf("%v\n%s", err, out)
			}
			if top := strings.TrimSpace(string(out)); filepath.IsAbs(top) {
				return top
			}
			return r.top
		}
	}
	const dirty = `; cd "$T"; echo edited >a.txt; echo n >n.txt; echo s >s.txt; git add s.txt; rm -f docs/c.md; echo "$T"`
	for name, c := range map[string]struct {
		init   []string
		script string
	}{
		"nothing special":  {},
		"skipHash":         {script: `git config index.skipHash true; git add s.txt; git update-index --force-write-index || :`},
		"version 4":        {script: `git update-index --index-version 4`},
		"split index":      {script: `git update-index --split-index; echo more >m; git add m`},
		"split by setting": {script: `git config core.splitIndex true; echo more >m; git add m`},
		"sparse index": {script: `git add -A; git commit -qm more; mkdir -p out/deep; echo 1 >out/deep/f; git add out; git commit -qm out
			git sparse-checkout init --cone --sparse-index; git sparse-checkout set src; echo more >src/new; echo more >>src/b.txt`},
		"sparse checkout by patterns": {script: `git add -A; git commit -qm more; git sparse-checkout set --no-cone '/*' '!/docs/'; echo more >>src/b.txt; mkdir -p docs; echo back >docs/c.md`},
		"untracked cache":             {script: `git config core.untrackedCache true; git update-index --untracked-cache; git status -s; echo m >src/m`},
		"fsmonitor": {script: `printf '#!/bin/sh\ntouch "$(dirname "$0")/../ran"\nprintf "t\\0"\n' >.git/monitor; chmod +x .git/monitor
			git config core.fsmonitor .git/monitor; git status -s; git status -s; rm -f ran .git/ran; echo odc >docs/c.md`},
		"sha256":              {init: []string{"--object-format=sha256"}},
		"assume-unchanged":    {script: `git update-index --assume-unchanged src/b.txt run.sh; echo ahpla >src/b.txt`},
		"skip-worktree":       {script: `git update-index --skip-worktree src/b.txt run.sh; echo ahpla >src/b.txt; rm run.sh`},
		"announced":           {script: `echo i >i; git add -N i`},
		"announced, split":    {script: `git update-index --split-index; echo i >i; git add -N i`},
		"racy":                {script: `echo 1 >src/b.txt; git add src/b.txt; echo 2 >src/b.txt`},
		"touched":             {script: `touch -d 2001-01-01 run.sh src/b.txt`},
		"lock of another":     {script: `: >.git/index.lock`},
		"HEAD lock":           {script: `: >.git/HEAD.lock`},
		"hidden by settings":  {script: `git config status.showUntrackedFiles no; git config status.relativePaths true; git config core.quotePath true; git config color.ui always; git config diff.external /bin/false; git config status.short true; git config diff.ignoreSubmodules all; git config core.preloadIndex false`},
		"index.threads":       {script: `git config index.threads 2; git config index.recordEndOfIndexEntries true; git config index.recordOffsetTable true; git add s.txt; touch t; git add t`},
		"worktreeConfig":      {script: `git config extensions.worktreeConfig true; git config --worktree core.fileMode false; git config --worktree core.autocrlf input; chmod +x src/b.txt; printf 'x\r\n' >src/crlf`},
		"auto gc":             {script: `git config gc.auto 1; git config gc.autoDetach false; git config maintenance.auto true`},
		"packed":              {script: `git pack-refs --all; git gc -q`},
		"commit graph":        {script: `git commit-graph write; git config core.commitGraph true; git config fetch.writeCommitGraph true`},
		"hooks":               {script: `mkdir -p .git/hooks; for h in post-checkout post-index-change pre-commit reference-transaction; do printf '#!/bin/sh\n: >>"'$PWD'/ran"\n' >.git/hooks/$h; chmod +x .git/hooks/$h; done`},
		"clean filter":        {script: `git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'; echo '*.md filter=up' >.gitattributes; mkdir -p docs; echo other >docs/d.md; git add docs/d.md; echo more >>docs/d.md`},
		"linked":              {script: `T=$PWD/../linked; git worktree add -q ../linked` + dirty},
		"linked, split":       {script: `T=$PWD/../linked; git config core.splitIndex true; git worktree add -q ../linked` + dirty},
		"alternates":          {script: `git add -A; git commit -qm more; T=$PWD/../borrows; git clone -q --shared . ../borrows` + dirty},
		"shallow":             {script: `git add -A; git commit -qm more; git clone -q --depth 1 "file://$PWD" ../shallow; T=$PWD/../shallow` + dirty},
		"separate git folder": {script: `git add -A; git commit -qm more; git clone -q --separate-git-dir ../apart.git . ../apart; T=$PWD/../apart` + dirty},
		"submodule": {script: `git init -q ../inner; git -C ../inner commit -q --allow-empty -m i; echo f >../inner/f; git -C ../inner add f; git -C ../inner commit -qm f
			git submodule --quiet add ../inner sub; git commit -qm sub; touch -d 2001-01-01 sub/f`},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, c.init...)
			r.dirty()
			top, err := filepath.EvalSymlinks(shell(c.script)(r))
			must(t, err)
			r.judged(top)
			for _, ran := range []string{"ran", ".git/ran"} {
				if _, err := os.Lstat(r.path(ran)); err == nil {
					t.Errorf("%s: a program of the repository was run", ran)
				}
			}
		})
	}
}

// The index that a hook or a tool has in its environment is not the parent's.
func TestForkKnowsNoGitOfItsEnvironment(t *testing.T) {
	r := newRepo(t)
	r.dirty()
	other := newRepo(t)
	other.write("other", "other\n")
	other.git("add", "other")
	before, err := judge.Take(other.top)
	must(t, err)
	for name, value := range map[string]string{
		"GIT_INDEX_FILE": other.path(".git/index"), "GIT_DIR": other.path(".git"), "GIT_WORK_TREE": other.top, "GIT_COMMON_DIR": other.path(".git"),
		"GIT_OBJECT_DIRECTORY": other.path(".git/objects"), "GIT_PREFIX": "src/", "GIT_LITERAL_PATHSPECS": "0", "GIT_ICASE_PATHSPECS": "1",
		"GIT_OPTIONAL_LOCKS": "1", "GIT_NAMESPACE": "n", "GIT_TRACE": "1", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true",
	} {
		t.Setenv(name, value)
	}
	r.judged(r.top)
	after, err := judge.Take(other.top)
	must(t, err)
	for _, line := range judge.Diff(before, after) {
		t.Errorf("the other repository: %s", line)
	}
}
