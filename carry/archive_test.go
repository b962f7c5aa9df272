//go:build unix

package carry

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// lookedAtToArchive is lookedAt for an archiving.
func lookedAtToArchive(t testing.TB, top string) *Removal {
	t.Helper()
	w := opened(t, top)
	family, err := w.Siblings(t.Context())
	must(t, err)
	r, err := LookToArchive(t.Context(), w, family)
	if err != nil {
		t.Fatal(explain(err))
	}
	t.Cleanup(r.Close)
	return r
}

// archived archives a workspace and gives it as its repository then lists it.
func archived(t testing.TB, r *repo, top string) worktree.Worktree {
	t.Helper()
	o := begun(t, opened(t, top))
	if _, err := o.Remove(t.Context(), lookedAtToArchive(t, top)); err != nil {
		t.Fatal(explain(err))
	}
	must(t, o.Close())
	return listedAt(t, r, top)
}

func listedAt(t testing.TB, r *repo, top string) worktree.Worktree {
	t.Helper()
	all, err := opened(t, r.top).Siblings(t.Context())
	must(t, err)
	for _, w := range all {
		if w.Path == top {
			return w
		}
	}
	t.Fatalf("%s is not listed", top)
	return worktree.Worktree{}
}

func restore(t testing.TB, w worktree.Worktree) {
	t.Helper()
	o := begun(t, w)
	if err := o.Restore(t.Context(), w); err != nil {
		t.Fatal(explain(err))
	}
	must(t, o.Close())
	if got := Outcome(w.CommonDir, o.ID); got != "completed" {
		t.Errorf("outcome %s", got)
	}
}

// state is all that a person could find out of a workspace: every path with its type, mode, size, link and (of a file) time, every
// byte, and what git says of it, bit by bit.
const state = `find . ! -name . \( -type d -printf '%P %y %m\n' -o -type l -printf '%P %y %l\n' -o -printf '%P %y %m %s %T@\n' \) | LC_ALL=C sort
	find . -type f -exec cksum {} + | LC_ALL=C sort; git ls-files -s -v -z | tr '\0' '\n'; git status --porcelain=v2 --branch --ignored -z | tr '\0' '\n'
	git stash list; git reflog -3; git submodule status --recursive; git submodule --quiet foreach --recursive 'git status --porcelain=v2 --branch; git ls-files -s -v'`

// TestAnArchivedWorkspaceComesBackExactly in every odd state, in a repository that would run hooks and filters if it were
// asked in the usual way.
func TestAnArchivedWorkspaceComesBackExactly(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"clean":    `true`,
		"detached": `git switch -q --detach; git commit -q --allow-empty -m only; echo x >>a.txt`,
		"odd": `echo staged >s; git add s; echo again >>s; echo edited >>a.txt; rm src/b.txt; echo new >n; mkdir -p e/deep empty/in; echo deep >e/deep/x; chmod 755 n; ln -s a.txt l; ln -s nowhere src/l
			mkdir ../outside; echo keep >../outside/k; ln -s ../outside out; echo 'a "b"' >'"q"'; printf 'x' >$'line\nend'; printf 'a\r\nb\n' >c.txt; printf '\377\0' >bin; printf y >$'b\377d'
			git mv docs/c.md docs/d.md; echo i >i; git add -N i; chmod 700 e; chmod 600 n; chmod 500 e/deep; touch -d '2001-02-03 04:05:06.789' n a.txt
			git update-index --assume-unchanged run.sh; echo hidden >>run.sh; git config core.autocrlf true; printf 'z\r\n' >crlf; git add crlf; git rm -q --cached -f s; chmod 400 crlf`,
		"sparse": `git sparse-checkout set --no-cone '/*' '!/src'; echo x >>a.txt`,
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			top := linked(t, r)
			r.shell(top, script)
			r.shell(r.top, `mkdir hooks; printf '#!/bin/sh\ntouch "%s"/ran\n' "$PWD/.." >hooks/post-checkout; cp hooks/post-checkout hooks/reference-transaction; chmod +x hooks/*
				git config core.hooksPath "$PWD/hooks"; git config filter.evil.clean 'touch ../ran; cat'; git config filter.evil.smudge 'touch ../ran; cat'
				echo 'a.txt filter=evil' >>.git/info/attributes`)
			before := r.shell(top, state)
			os.Remove(filepath.Join(r.world(), "ran"))
			looked := lookedAtToArchive(t, top)
			if got := codes(looked); got != "" {
				t.Fatalf("refused: %s", got)
			}
			os.Remove(filepath.Join(r.world(), "ran")) // git's own look runs the clean filter
			w := archived(t, r, top)
			if !nothingAt(top) || !w.Archived || !w.Locked || w.Eligible().Code != "archived" {
				t.Fatalf("not archived: %+v", w)
			}
			r.shell(r.top, `git worktree prune --expire now; git reflog expire --expire=now --all; git gc -q --prune=now; git fsck`)
			os.Remove(filepath.Join(r.world(), "ran"))
			restore(t, w)
			if !nothingAt(filepath.Join(r.world(), "ran")) {
				t.Error("the repository ran a program")
			}
			if w := listedAt(t, r, top); w.Locked || w.Archived || w.Missing {
				t.Errorf("still archived: %+v", w)
			}
			if left := r.git("for-each-ref", "refs/sidefork"); left != "" {
				t.Errorf("left: %s", left)
			}
			after := r.shell(top, state)
			if name == "detached" { // the reflogs were emptied above
				before, after = withoutReflog(before), withoutReflog(after)
			}
			if withoutReflog(after) != withoutReflog(before) {
				t.Errorf("it came back otherwise:\n%s", difference(before, after))
			}
		})
	}
}

func withoutReflog(state string) string {
	var lines []string
	for line := range strings.Lines(state) {
		if !strings.Contains(line, "HEAD@{") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

func TestArchivingRefusesWhatWouldNotComeBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, want string }{
		"changes and commits": {`echo x >>a.txt; echo n >n; git commit -q --allow-empty -m c`, ""},
		"ignored":             {`echo x >debug.log; mkdir build; echo x >build/x`, "ignored"},
		"a pipe":              {`mkfifo p`, "ignored"},
		"locked":              {`git worktree lock .`, "locked"},
		"in the middle":       {`git switch -qc o; echo o >a.txt; git commit -qam o; git switch -q try; echo t >a.txt; git commit -qam t; ! git merge -q o`, "operationInProgress unmerged"},
		"a workspace inside":  {`git worktree add -q -b in in`, "nestedWorktree"},
		"a repository inside": {`git init -q in; echo x >in/x`, "nestedRepository"},
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
			if got := codes(lookedAtToArchive(t, top)); got != c.want {
				t.Errorf("refused %q, not %q", got, c.want)
			}
			unchanged(t, r, before)
		})
	}
}

func TestSubmodulesOfAnArchivedWorkspaceComeBack(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.shell(r.top, `git init -q ../lib; (cd ../lib; echo f >f; git add .; git commit -qm lib); git submodule --quiet add ../lib sub; git commit -qm sub`)
	top := forkOf(t, r)
	r.shell(top, `cd sub; git commit -q --allow-empty -m precious; echo dirty >>f; echo new >n; git add n; echo more >>n`)
	before := r.shell(top, state)
	restore(t, archived(t, r, top))
	if after := r.shell(top, state); after != before {
		t.Errorf("it came back otherwise:\n%s", difference(before, after))
	}
}

// TestAKilledArchivingOrRestoringIsTakenBackOrFinished stops at each step, as a kill does.
func TestAKilledArchivingOrRestoringIsTakenBackOrFinished(t *testing.T) {
	t.Parallel()
	type stage struct {
		want     string
		archived bool   // afterwards
		script   string // what has happened, in the folder above the workspace
	}
	for name, c := range map[string]stage{
		"stored":          {want: saidRolledBack},
		"begun":           {want: "finished", archived: true},
		"half gone":       {want: "finished", archived: true, script: `rm try/a.txt try/mine`},
		"gone":            {want: "finished", archived: true, script: `rm -r try`},
		"worked in since": {want: saidKept, script: `rm try/a.txt; echo x >>try/mine`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			top := linked(t, r)
			r.shell(top, `echo mine >mine; echo s >s; git add s`)
			before := r.shell(top, state)
			removal := lookedAtToArchive(t, top)
			o := begun(t, opened(t, top))
			step := removal.step(o.ID)
			must(t, o.Will(Step{Removal: step}))
			_, err := removal.save(context.Background(), step.Refs)
			must(t, err)
			must(t, removal.keep(context.Background(), step.Refs))
			if name != "stored" {
				must(t, removal.list.save(listingFile(o.source.CommonDir, o.ID)))
				must(t, o.journal.say(said{What: saidRemoving}, true))
				if c.script != "" {
					must(t, worktree.LockArchived(o.source.GitDir))
				}
			}
			must(t, o.journal.file.Close())
			die(o)
			r.shell(r.world(), c.script)
			done := recovered(t, r)
			if len(done) != 1 || done[0].Action != c.want || done[0].Workspace != top {
				t.Fatalf("recovered %+v", done)
			}
			w := listedAt(t, r, top)
			if w.Archived != c.archived || nothingAt(top) != c.archived {
				t.Fatalf("%+v", w)
			}
			if c.want == saidKept {
				if got := r.shell(top, `cat mine`); got != "mine\nx\n" {
					t.Errorf("lost: %q", got)
				}
				return
			}
			if c.archived {
				restore(t, w)
			} else if w.Locked || r.git("for-each-ref", "refs/sidefork") != "" {
				t.Error("something is left")
			}
			if after := r.shell(top, state); after != before {
				t.Errorf("otherwise:\n%s", difference(before, after))
			}
		})
	}
	for name, c := range map[string]stage{
		"recorded":   {want: saidRolledBack, archived: true},
		"half made":  {want: saidRolledBack, archived: true, script: `mkdir .sidefork-6f9619ff; echo x >.sidefork-6f9619ff/x; chmod 500 .sidefork-6f9619ff`},
		"in place":   {want: "finished"},
		"half ended": {want: "finished", script: `rm r/.git/worktrees/try/sidefork-archive.json`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			top := linked(t, r)
			r.shell(top, `echo mine >mine; echo s >s; git add s`)
			before := r.shell(top, state)
			w := archived(t, r, top)
			o, err := Begin(t.Context(), w, operation)
			must(t, err)
			a, err := readArchive(w.GitDir)
			must(t, err)
			step := &RestoreStep{Path: exact(top), Entry: "try", Refs: a.Refs}
			must(t, o.Will(Step{Restore: step}))
			if c.want == "finished" {
				must(t, a.make(t.Context(), git.Bare(w.CommonDir, "", ""), step.stage(o.ID)))
				must(t, moveInto(step.stage(o.ID), top))
			}
			must(t, o.journal.file.Close())
			die(o)
			r.shell(r.world(), strings.ReplaceAll(c.script, "r/.git", r.top+"/.git"))
			done := recovered(t, r)
			if len(done) != 1 || done[0].Action != c.want || done[0].Workspace != top {
				t.Fatalf("recovered %+v", done)
			}
			w = listedAt(t, r, top)
			if w.Archived != c.archived || !nothingAt(step.stage(o.ID)) {
				t.Fatalf("%+v", w)
			}
			if c.archived {
				restore(t, w)
			}
			if after := r.shell(top, state); after != before || listedAt(t, r, top).Locked {
				t.Errorf("otherwise:\n%s", difference(before, after))
			}
		})
	}
}

// TestARestoringThatCannotBeIsTakenBack: the workspace is as archived as before, and nothing of anybody is touched.
func TestARestoringThatCannotBeIsTakenBack(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	top := filepath.Join(r.world(), "above", "try")
	must(t, os.Mkdir(filepath.Dir(top), 0o755))
	r.git("worktree", "add", "-q", "-b", "try", top)
	r.shell(top, `echo mine >mine`)
	w := archived(t, r, top)
	must(t, os.Remove(filepath.Dir(top)))
	whole := everything(t, w.GitDir)
	record := filepath.Join(w.GitDir, worktree.ArchiveFile)
	good := contentOf(t, record)
	for name, c := range map[string]struct {
		script, want string
		seam         func(stage string)
		cancelled    bool
	}{
		"something is there": {script: `mkdir -p ` + top + `; echo theirs >` + top + `/x`, want: "placeTaken"},
		"a file is there":    {script: `mkdir -p ` + filepath.Dir(top) + `; echo theirs >` + top, want: "placeTaken"},
		"an object is gone":  {script: `sed -i 's/"h":"[0-9a-f]*"/"h":"` + strings.Repeat("1", 40) + `"/' ` + record, want: "createFailed"},
		"it is changed":      {script: `sed -i 's/"o":420/"o":493/; s/"p":"mine"/"p":"..\/mine"/' ` + record, want: "archiveBroken"},
		"a path of git's":    {script: `sed -i 's/"p":"mine"/"p":"src\/.git\/x"/' ` + record, want: "archiveBroken"},
		"other refs":         {script: `sed -i 's/archived/..\/heads/' ` + record, want: "archiveBroken"},
		"its place is taken late": {want: "createFailed", seam: func(string) {
			must(t, os.Mkdir(top, 0o755))
			must(t, os.WriteFile(top+"/late", nil, 0o644))
		}},
		"a file takes its place late": {want: "createFailed", seam: func(string) { must(t, os.WriteFile(top, []byte("late"), 0o644)) }},
	} {
		r.shell(r.top, c.script)
		o := begun(t, w)
		o.restoring = c.seam
		if err := o.Restore(t.Context(), w); refusal(err) != c.want {
			t.Errorf("%s: %v", name, explain(err))
		}
		must(t, o.RollBack(t.Context()))
		must(t, o.Close())
		must(t, os.WriteFile(record, []byte(good), 0o600))
		if now := everything(t, w.GitDir); withoutTimes(now) != withoutTimes(whole) {
			t.Errorf("%s: not as before:\n%s", name, difference(whole, now))
		}
		if name == "a file takes its place late" && contentOf(t, top) != "late" {
			t.Errorf("%s: it is gone", name)
		}
		if !nothingAt(top) {
			r.shell(r.top, `test ! -f `+top+`/mine; rm -r `+filepath.Dir(top))
		}
		if !nothingAt(filepath.Dir(top)) {
			t.Errorf("%s: a folder is left", name)
		}
	}
	o := begun(t, w)
	ctx, cancel := context.WithCancel(t.Context())
	o.restoring = func(string) { cancel() } // too late
	must(t, o.Restore(ctx, w))
	must(t, o.Close())
	r.shell(top, `test "$(cat mine)" = mine`)
	for name, bad := range map[string]RestoreStep{
		"path": {Path: "x", Entry: "try", Refs: archivedRefs + "x"}, "entry": {Path: "/x", Entry: "../x", Refs: archivedRefs + "x"},
		"refs": {Path: "/x", Entry: "try", Refs: "refs/heads/x"}, "all refs": {Path: "/x", Entry: "try", Refs: archivedRefs},
	} {
		if bad.isOf(w.CommonDir) {
			t.Errorf("%s: believed", name)
		}
	}
}

// TestWhatIsBroughtBackIsProved: one other byte, mode, link, name or missing file is seen before the folder has its name.
func TestWhatIsBroughtBackIsProved(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	top := linked(t, r)
	r.shell(top, `ln -s a.txt l; mkdir empty`)
	w := archived(t, r, top)
	a, err := readArchive(w.GitDir)
	must(t, err)
	for name, script := range map[string]string{
		"nothing": `true`, "a byte": `printf X | dd of=a.txt bs=1 conv=notrunc status=none`, "a mode": `chmod 755 a.txt`, "a link": `ln -sf b l`, "one more": `echo x >x`,
		"one less": `rm a.txt`, "another instead": `mv a.txt z.txt`, "a folder's mode": `chmod 700 empty`, "its .git": `echo 'gitdir: /x' >.git`, "a link for a file": `mv a.txt ../a; ln -s ../a a.txt`,
	} {
		stage := filepath.Join(t.TempDir(), "stage")
		must(t, a.make(t.Context(), git.Bare(w.CommonDir, "", ""), stage))
		r.shell(stage, script)
		want := "restoreUnequal"
		if name == "nothing" {
			want = "<nil>"
		}
		if got := refusal(a.prove(t.Context(), stage, len(w.Head))); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestAFolderComesBackAsOpenAsItWas: its own mode too, which no path in it has.
func TestAFolderComesBackAsOpenAsItWas(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	top := linked(t, r)
	must(t, os.Chmod(top, 0o700))
	w := archived(t, r, top)
	o := begun(t, w)
	must(t, o.Restore(t.Context(), w))
	must(t, o.Close())
	if info, err := os.Stat(top); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("it is %v, %v", info.Mode(), err)
	}
}

// TestAWorkspaceComesBackToARepositoryThatHasMoved, whose folder its own `.git` does not name.
func TestAWorkspaceComesBackToARepositoryThatHasMoved(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	top := linked(t, r)
	r.shell(top, `echo mine >mine`)
	archived(t, r, top)
	must(t, os.Rename(r.top, r.top+"-moved"))
	w := listedAt(t, &repo{t, r.top + "-moved"}, top)
	o := begun(t, w)
	must(t, o.Restore(t.Context(), w))
	must(t, o.Close())
	if status := gitIn(t, top, "status", "--porcelain"); !strings.Contains(status, "?? mine") {
		t.Errorf("git says %q", status)
	}
}
