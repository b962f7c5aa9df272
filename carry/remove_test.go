//go:build unix

package carry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// linked is a repository with a linked worktree on the branch try.
func linked(t testing.TB, r *repo) string {
	t.Helper()
	top := filepath.Join(r.world(), "try")
	r.git("worktree", "add", "-q", "-b", "try", top)
	return top
}

func lookedAt(t testing.TB, top string, branch bool) *Removal {
	t.Helper()
	w := opened(t, top)
	family, err := w.Siblings(t.Context())
	must(t, err)
	r, err := LookToRemove(t.Context(), w, family, branch)
	if err != nil {
		t.Fatal(explain(err))
	}
	t.Cleanup(r.Close)
	return r
}

func codes(r *Removal) string {
	var all []string
	for _, no := range r.Refusals {
		all = append(all, no.Code)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

// TestARemovalRefusesEverythingThatWouldBeLost puts a workspace in one state after the other.
func TestARemovalRefusesEverythingThatWouldBeLost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string // in the workspace
		branch bool
		want   string
	}{
		"nothing":                    {},
		"nothing, with its branch":   {branch: true},
		"ignored":                    {script: `echo '*.log' >>"$(git rev-parse --git-common-dir)/info/exclude"; echo x >x.log`},
		"edited":                     {script: `echo x >>a.txt`, want: "uncommitted"},
		"staged alone":               {script: `echo x >>a.txt; git add a.txt; git show HEAD:a.txt >a.txt`, want: "uncommitted"},
		"untracked":                  {script: `echo x >n`, want: "uncommitted"},
		"announced":                  {script: `echo x >n; git add -N n`, want: "uncommitted"},
		"hidden":                     {script: `git update-index --assume-unchanged a.txt; echo x >>a.txt`, want: "uncommitted"},
		"deleted":                    {script: `rm a.txt`, want: "uncommitted"},
		"commits, and the branch":    {script: `git commit -q --allow-empty -m c`, branch: true, want: "onlyHere"},
		"commits on a branch":        {script: `git commit -q --allow-empty -m c`},
		"commits that a branch has":  {script: `git commit -q --allow-empty -m c; git branch other`, branch: true},
		"commits that a tag has":     {script: `git commit -q --allow-empty -m c; git tag v1`, branch: true},
		"commits that a stored has":  {script: `git commit -q --allow-empty -m c; git update-ref refs/sidefork/removed/x/work HEAD`, branch: true, want: "onlyHere"},
		"commits of a detached HEAD": {script: `git switch -q --detach; git commit -q --allow-empty -m c`, want: "onlyHere"},
		"detached":                   {script: `git switch -q --detach`},
		"detached, with its branch":  {script: `git switch -q --detach`, branch: true, want: "detached"},
		"locked":                     {script: `git worktree lock .`, want: "locked"},
		"conflict":                   {script: `git switch -qc o; echo o >a.txt; git commit -qam o; git switch -q try; echo t >a.txt; git commit -qam t; ! git merge -q o`, want: "operationInProgress uncommitted unmerged"},
		"another workspace inside":   {script: `git worktree add -q -b in in`, want: "nestedWorktree"},
		"another repository inside":  {script: `git init -q in; echo x >in/x`, want: "nestedRepository"},
		"one in an ignored folder":   {script: `echo deps >>"$(git rev-parse --git-common-dir)/info/exclude"; mkdir deps; git init -q deps/in`, want: "nestedRepository"},
		"its branch elsewhere":       {script: `git worktree add -q -f ../again try`, branch: true, want: "branchElsewhere"},
		"all at once":                {script: `echo x >n; git commit -q --allow-empty -m c; git worktree lock .; git init -q in`, branch: true, want: "locked nestedRepository onlyHere uncommitted"},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			top := linked(t, r)
			r.shell(top, c.script)
			before := everything(t, r.world())
			if got := codes(lookedAt(t, top, c.branch)); got != c.want {
				t.Errorf("refused %q, not %q", got, c.want)
			}
			unchanged(t, r, before)
		})
	}
	r := newRepo(t)
	if got := codes(lookedAt(t, r.top, false)); got != "mainCheckout" {
		t.Errorf("the main checkout: %q", got)
	}
}

// TestWhatIsForcedAwayComesBackExactly forces every kind of change away, in a repository that would run hooks, filter what
// is stored and sign it if it were asked in the usual way, and brings it back by the commands that a person is told.
func TestWhatIsForcedAwayComesBackExactly(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.shell(r.top, `mkdir d; echo g >d/g; echo one >f; echo del >del; echo 'c*.txt text eol=lf' >.gitattributes; printf 'a\n' >c.txt; git add .; git commit -qm 2`)
	top := linked(t, r)
	r.shell(top, `echo staged >s; git add s; echo again >>s; echo edited >>f; rm del; echo new >n; mkdir e; echo deep >e/x; chmod 755 n; ln -s f l; ln -s nowhere d/l; mkdir ../outside; echo keep >../outside/k; ln -s ../outside out
		git mv d/g d/h; echo 'a "b"' >'"q"'; printf 'x' >$'line\nend'; printf 'a\r\nb\n' >c.txt; printf '\377\0' >bin; git rm -q --cached a.txt
		echo all >"$(git rev-parse --git-common-dir)/x"; git config core.hooksPath "$PWD/../hooks"; mkdir ../hooks
		printf '#!/bin/sh\ntouch "%s"/ran\n' "$PWD/.." >../hooks/reference-transaction; chmod +x ../hooks/*
		git config filter.evil.clean 'sed s/^/filtered/'; echo '*.txt filter=evil' >>"$(git rev-parse --git-common-dir)/info/attributes"
		git config commit.gpgSign true; git config gpg.program false`)
	os.Remove(filepath.Join(r.world(), "ran"))
	before := r.shell(top, `cksum <f; cksum <s; cksum <n; cksum <e/x; cksum <c.txt; cksum <bin; cksum <'"q"'; cksum <$'line\nend'; cksum <a.txt; cksum <d/h; readlink l d/l; stat -c %a n; test ! -e del`)
	removal := lookedAt(t, top, true)
	o := begun(t, opened(t, top))
	saved, err := o.Remove(t.Context(), removal)
	if err != nil {
		t.Fatal(explain(err))
	}
	if !nothingAt(top) || !nothingAt(filepath.Join(r.top, ".git", "worktrees", "try")) {
		t.Error("it is still there")
	}
	if ref, _ := git.BranchAt(t.Context(), git.Command{Dir: r.top}, "try"); ref != "" {
		t.Error("the branch is still there")
	}
	if nothingAt(filepath.Join(r.world(), "outside", "k")) {
		t.Error("a link was followed")
	}
	if !nothingAt(filepath.Join(r.world(), "ran")) {
		t.Error("the repository ran a program")
	}
	if len(saved) != 1 || !saved[0].Stash {
		t.Fatalf("saved %+v", saved)
	}
	r.shell(r.top, `git config --unset core.hooksPath; git config --unset commit.gpgSign; rm .git/info/attributes
		git worktree add -q -b try '`+top+`' `+saved[0].Head+`; git -C '`+top+`' stash apply -q --index `+saved[0].Ref)
	after := r.shell(top, `cksum <f; cksum <s; cksum <n; cksum <e/x; cksum <c.txt; cksum <bin; cksum <'"q"'; cksum <$'line\nend'; cksum <a.txt; cksum <d/h; readlink l d/l; stat -c %a n; test ! -e del`)
	if after != before {
		t.Errorf("it came back otherwise:\n%s", difference(before, after))
	}
	if staged := r.shell(top, `git diff --cached --name-status --no-renames`); staged != "D\ta.txt\nD\td/g\nA\td/h\nA\ts\n" {
		t.Errorf("staged now:\n%s", staged)
	}
}

// TestARemovalThatIsOvertakenRemovesNothing: a file that comes, or changes, once all has been looked at.
func TestARemovalThatIsOvertakenRemovesNothing(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"new": `echo x >late`, "changed": `echo x >>a.txt`, "ignored": `echo late >>"$(git rev-parse --git-common-dir)/info/exclude"; echo x >late`} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			top := linked(t, r)
			r.shell(top, `echo mine >mine`)
			removal := lookedAt(t, top, true)
			r.shell(top, script)
			before := everything(t, r.world())
			o := begun(t, opened(t, top))
			_, err := o.Remove(t.Context(), removal)
			if refusal(err) != "targetMoved" || o.Stuck(err) != nil {
				t.Fatal(explain(err))
			}
			must(t, o.RollBack(t.Context()))
			must(t, o.Close())
			for _, line := range strings.Split(before, "\n") { // objects have come; nothing has gone
				if now := everything(t, r.world()); !strings.Contains(now, line) && !strings.Contains(line, "objects") {
					t.Fatalf("gone or changed: %s", line)
				}
			}
			if refs := r.git("for-each-ref", "refs/sidefork"); refs != "" {
				t.Errorf("refs stand: %s", refs)
			}
		})
	}
}

// TestARemovalStopsAtWhatItDoesNotKnow: a file that comes at the very last moment stays, with everything, in this process
// and for the next one.
func TestARemovalStopsAtWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	top := linked(t, r)
	removal := lookedAt(t, top, true)
	removal.between = func() { r.shell(top, `echo x >late`) }
	o := begun(t, opened(t, top))
	_, err := o.Remove(t.Context(), removal)
	if stuck := o.Stuck(err); stuck == nil || !slices.Equal(stuck.Paths, []string{filepath.Join(top, "late")}) {
		t.Fatal(explain(err))
	}
	must(t, o.Close())
	done, err := Recover(t.Context(), filepath.Join(r.top, ".git"))
	must(t, err)
	if len(done) != 1 || done[0].Action != saidKept || done[0].Workspace != top {
		t.Errorf("recovered %+v", done)
	}
	if r.shell(top, `cat late a.txt >/dev/null; git status --short`) != "?? late\n" {
		t.Error("something has gone")
	}
}

// TestAKilledRemovalIsTakenBackOrFinished: before the removing has begun all is as it was; from then on the next start ends
// it, and what was not committed is in the stored commit.
func TestAKilledRemovalIsTakenBackOrFinished(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begins bool
		script string // what has gone already
		want   string
	}{
		"stored":               {want: saidRolledBack},
		"begun":                {begins: true, want: "finished"},
		"half gone":            {begins: true, script: `rm a.txt mine`, want: "finished"},
		"all but the folder":   {begins: true, script: `find . -mindepth 1 -delete`, want: "finished"},
		"the folder gone":      {begins: true, script: `rm -r "$PWD"`, want: "finished"},
		"worked in since":      {begins: true, script: `rm a.txt; echo x >>mine`, want: saidKept},
		"brought back by hand": {begins: true, script: `rm a.txt; git checkout -q .`, want: saidKept},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			top := linked(t, r)
			r.git("config", "branch.try.description", "d")
			child := filepath.Join(r.world(), "child")
			r.git("worktree", "add", "-q", "-b", "child", child)
			must(t, worktree.WriteLineage(opened(t, child).GitDir, worktree.Lineage{Parent: top, Operation: "x"}))
			r.shell(top, `echo mine >mine`)
			before := r.shell(top, `ls; cat a.txt mine`)
			removal := lookedAt(t, top, true)
			o := begun(t, opened(t, top))
			step := removal.step(o.ID)
			must(t, o.Will(Step{Removal: step}))
			saved, err := removal.save(context.Background(), step.Refs)
			must(t, err)
			if c.begins {
				must(t, removal.list.save(listingFile(o.source.CommonDir, o.ID)))
				must(t, o.journal.say(said{What: saidRemoving}, true))
			}
			must(t, o.journal.file.Close())
			die(o)
			r.shell(top, c.script)
			done, err := Recover(t.Context(), o.source.CommonDir)
			must(t, err)
			if len(done) != 1 || done[0].Action != c.want {
				t.Fatalf("recovered %+v", done)
			}
			stored := "mine\n"
			if c.want == saidRolledBack {
				stored = ""
				if now := r.shell(top, `ls; cat a.txt mine`); now != before || r.git("for-each-ref", "refs/sidefork") != "" {
					t.Errorf("not as before: %s", now)
				}
			} else if got := r.shell(r.top, `git cat-file blob `+saved[0].Ref+`^3:mine`); got != stored {
				t.Errorf("stored %q", got)
			}
			if c.want == "finished" {
				l, err := worktree.ReadLineage(opened(t, child).GitDir)
				must(t, err)
				if !nothingAt(top) || l.Parent != "" || strings.Contains(r.shell(r.top, `git worktree list; git branch; cat .git/config`), "try") {
					t.Error("it is not finished")
				}
			}
			if c.want == saidKept {
				r.shell(top, `git status`)
			}
			if again, err := Recover(t.Context(), o.source.CommonDir); len(again) > 0 || err != nil {
				t.Errorf("and again: %+v %v", again, err)
			}
		})
	}
}

// TestASubmodulesWorkIsStoredBeforeItsStoreGoes: the store of a child's submodule lies in the child's own git folder.
func TestASubmodulesWorkIsStoredBeforeItsStoreGoes(t *testing.T) {
	t.Parallel()
	r := newSuper(t)
	child := forkOf(t, r)
	r.shell(child, `git checkout -q a.txt; test -z "$(git status --porcelain)"`)
	if got := codes(lookedAt(t, child, true)); got != "" {
		t.Errorf("a clean one: %q", got)
	}
	r.shell(child, `cd lib/sub; echo c >>f; git commit -qam precious; echo dirty >>f; echo new >n`)
	removal := lookedAt(t, child, true)
	if got := codes(removal); got != "onlyHere uncommitted" {
		t.Fatalf("refused %q", got)
	}
	o := begun(t, opened(t, child))
	saved, err := o.Remove(t.Context(), removal)
	if err != nil {
		t.Fatal(explain(err))
	}
	must(t, o.Close())
	at := slices.IndexFunc(saved, func(s Saved) bool { return s.Path == "lib/sub" && s.Stash })
	if at < 0 || !nothingAt(child) {
		t.Fatalf("saved %+v", saved)
	}
	r.shell(r.top, `git fsck --no-dangling; test "$(git log -1 --format=%s `+saved[at].Ref+`^1)" = precious
		git show `+saved[at].Ref+`:f | grep -q dirty; test "$(git show `+saved[at].Ref+`^3:n)" = new`)
}

// forkOf makes a child by an operation, submodules and all.
func forkOf(t testing.TB, r *repo) string {
	t.Helper()
	source := opened(t, r.top)
	plan, err := Look(t.Context(), source, source.Head, Options{})
	must(t, err)
	defer plan.Close()
	o := begun(t, source)
	child := created(t, o, filepath.Join(r.world(), "child"), "child")
	if _, err := plan.Into(t.Context(), child, o, nil); err != nil {
		t.Fatal(explain(err))
	}
	must(t, o.Keep())
	must(t, o.Close())
	return child.Path
}

func TestAJournalOfARemovalIsNotBelievedBlindly(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	top := linked(t, r)
	common := filepath.Join(r.top, ".git")
	good := lookedAt(t, top, true).step(uuid.NewString())
	if !good.isOf(common) {
		t.Fatal("a good one is refused")
	}
	for name, spoil := range map[string]func(*RemovalStep){
		"entry": func(s *RemovalStep) { s.Entry = "../x" }, "child": func(s *RemovalStep) { s.Children = []exact{"../.."} },
		"refs": func(s *RemovalStep) { s.Refs = "refs/heads" }, "dots": func(s *RemovalStep) { s.Refs = savedRefs + "../../heads" },
		"branch": func(s *RemovalStep) { s.Branch = "--all" }, "head": func(s *RemovalStep) { s.Head = "HEAD" },
		"path": func(s *RemovalStep) { s.Path = "try" }, "main": func(s *RemovalStep) { s.Path = exact(r.top) },
	} {
		bad := *good
		if spoil(&bad); bad.isOf(common) {
			t.Errorf("%s: believed", name)
		}
	}
	if _, err := readListing(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
