//go:build unix

package carry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// populated makes a child like the parent: meanwhile happens between the look and the first copy.
func (r *repo) populated(meanwhile func()) (child string, plan *Plan) {
	r.Helper()
	at := openAt(r, r.top)
	plan, err := Look(context.Background(), at, at.Head, Options{})
	must(r, err)
	r.Cleanup(plan.Close)
	if !plan.populates() {
		r.Fatal("nothing is copied")
	}
	meanwhile()
	child = filepath.Join(filepath.Dir(r.top), "child")
	r.makeChild(plan, child)
	return child, plan
}

// isCheckedOut demands that a child is a whole checkout of its HEAD: its index, its tree, its files.
func (r *repo) isCheckedOut(child string) {
	r.Helper()
	if out := gitIn(r, child, "status", "--porcelain", "--untracked-files=all"); out != "" {
		r.Errorf("git status in the child: %s", out)
	}
	if out := gitIn(r, child, "diff-index", "--cached", "HEAD"); out != "" {
		r.Errorf("the child's index: %s", out)
	}
	if tree, want := gitIn(r, child, "write-tree"), gitIn(r, child, "rev-parse", "HEAD^{tree}"); tree != want {
		r.Errorf("the child's index is the tree %s, not %s", tree, want)
	}
	gitIn(r, child, "fsck", "--no-dangling") // also the index's own sum
}

// TestCleanFilesAreCopiedAndKnownToTheChildsIndex looks at what git would read again: nothing that was copied.
func TestCleanFilesAreCopiedAndKnownToTheChildsIndex(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "--object-format="+format)
			r.write("large.bin", strings.Repeat("0123456789abcdef", 20_000))
			r.write("private/key.txt", "key\n")
			r.link("src/b.txt", "link")
			r.write(strings.Repeat("long/", 90)+"name", "x")
			r.write("nl\nin \xff", "x")
			r.write("empty", "")
			must(t, os.Chmod(r.path("private"), 0o700))
			must(t, os.Chmod(r.path("private/key.txt"), 0o600))
			r.commit("all kinds")
			r.settled()
			child, plan := r.populated(func() {})
			r.isCheckedOut(child)

			index, err := readIndex(context.Background(), openAt(t, child))
			must(t, err)
			ours, theirs := openedTree(t, r.top), openedTree(t, child)
			for i, e := range index.Entries {
				was, err := ours.at(e.Path)
				must(t, err)
				is, err := theirs.at(e.Path)
				must(t, err)
				if is.mtime != was.mtime || is.kind != was.kind || is.size != was.size || is.mode != was.mode || is.inode == was.inode {
					t.Errorf("%.40q is %+v, in the parent %+v", e.Path, is, was)
				}
				known := index.Times(i)
				if known.MTime != is.mtime || known.CTime != is.ctime || known.Inode != uint32(is.inode) || known.Size != uint32(is.size) {
					t.Errorf("the index says of %.40q %+v, it is %+v", e.Path, known, is)
				}
			}
			if len(index.Entries) != len(plan.seen.index.Entries) || index.Extension("TREE") != plan.seen.index.Extension("TREE") || index.Extension("TREE") == "" {
				t.Errorf("%d entries, tree %q", len(index.Entries), index.Extension("TREE"))
			}
			if private, err := theirs.at("private"); err != nil || private.mode != 0o700 {
				t.Errorf("private is open to others: %+v", private)
			}
		})
	}
}

// settled makes the parent's index vouch for all of its files: they are old, and it is younger.
func (r *repo) settled() {
	r.Helper()
	old := time.Now().Add(-2 * time.Hour) // not the template's: git looks at whole seconds
	for _, name := range strings.Split(strings.TrimSuffix(r.git("ls-files", "-z"), "\x00"), "\x00") {
		if info, err := os.Lstat(r.path(name)); err == nil && info.Mode().IsRegular() {
			must(r, os.Chtimes(r.path(name), old, old))
		}
	}
	r.git("update-index", "-q", "--refresh")
	must(r, os.Chtimes(r.path(".git/index"), old, time.Now().Add(time.Second)))
}

func openedTree(t testing.TB, top string) *tree {
	t.Helper()
	opened, err := openTree(top)
	must(t, err)
	t.Cleanup(opened.close)
	return opened
}

// TestWhatIsNotSurelyCleanIsCheckedOut: the child has the base's bytes, whatever the parent has by then.
func TestWhatIsNotSurelyCleanIsCheckedOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, meanwhile func(r *repo)
	}{
		"edited":                    {meanwhile: func(r *repo) { r.write("docs/c.md", "odc\n") }},
		"edited, its time put back": {meanwhile: func(r *repo) { r.rewrite("docs/c.md", "odc\n", true) }},
		"replaced, with its time":   {meanwhile: func(r *repo) { r.rewrite("docs/c.md", "odc\n", false) }},
		"gone":                      {meanwhile: func(r *repo) { r.remove("docs/c.md") }},
		"a pipe":                    {meanwhile: func(r *repo) { r.remove("docs/c.md"); makeFIFO(r, r.path("docs/c.md")) }},
		"a link to another file": {meanwhile: func(r *repo) {
			r.remove("docs/c.md")
			r.link("../a.txt", "docs/c.md")
		}},
		"in a folder that is a link by now": {meanwhile: func(r *repo) {
			outside := filepath.Join(filepath.Dir(r.top), "outside")
			must(r, os.Rename(r.path("docs"), outside))
			r.link("../outside", "docs")
		}},
		"may not be read": {meanwhile: func(r *repo) { must(r, os.Chmod(r.path("docs/c.md"), 0)) }},
		"racy":            {before: func(r *repo) { r.rewrite("docs/c.md", "odc\n", true); r.asOnDisk("docs/c.md", 0) }},
		"of a time that has not come": {before: func(r *repo) {
			later := time.Now().Add(time.Hour)
			must(r, os.Chtimes(r.path("docs/c.md"), later, later))
			r.git("update-index", "-q", "--refresh")
		}},
		"staged": {before: func(r *repo) { r.write("docs/c.md", "odc\n"); r.git("add", "."); r.write("docs/c.md", "doc\n") }},
		"staged by taking a commit back": {before: func(r *repo) { // the index knows the tree of all that is staged
			r.write("docs/c.md", "odc\n")
			r.commit("other")
			r.git("reset", "-q", "--soft", "HEAD~")
		}},
		"staged for removal, and kept": {before: func(r *repo) { r.git("rm", "-q", "--cached", "docs/c.md"); r.write("docs/c.md", "odc\n") }},
		"staged for removal":           {before: func(r *repo) { r.git("rm", "-q", "docs/c.md"); r.write("docs/c.md/in", "odc\n"); r.git("add", ".") }},
		"renamed":                      {before: func(r *repo) { r.git("mv", "docs/c.md", "docs/a.md") }},
		"assumed to be unchanged": {before: func(r *repo) {
			r.git("update-index", "--assume-unchanged", "docs/c.md")
			r.write("docs/c.md", "odc\n")
		}},
		"executable, where git does not look": {before: func(r *repo) {
			r.git("config", "core.fileMode", "false")
			must(r, os.Chmod(r.path("docs/c.md"), 0o755))
			r.git("update-index", "-q", "--refresh")
		}},
		"staged meanwhile": {meanwhile: func(r *repo) { r.write("docs/c.md", "odc\n"); r.git("add", ".") }},
		"under a rule that came later": {before: func(r *repo) {
			r.git("config", "filter.upper.smudge", "tr a-z A-Z")
			r.git("config", "filter.upper.clean", "tr A-Z a-z")
			r.write(".git/info/attributes", "*.md filter=upper\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.settled()
			if c.before != nil {
				c.before(r)
			}
			child, _ := r.populated(func() {
				if c.meanwhile != nil {
					c.meanwhile(r)
				}
			})
			want := "doc\n"
			if strings.HasPrefix(name, "under a rule") {
				want = "DOC\n"
			}
			if text, err := os.ReadFile(filepath.Join(child, "docs/c.md")); err != nil || string(text) != want {
				t.Errorf("docs/c.md is %q, %v", text, err)
			}
			if info, err := os.Lstat(filepath.Join(child, "docs/c.md")); err != nil || info.Mode() != 0o644 {
				t.Errorf("docs/c.md: %v, %v", info.Mode(), err)
			}
			r.isCheckedOut(child)
		})
	}
}

// TestACancelInTheMiddleOfFillingLeavesNothing cancels before the first file and after some.
func TestACancelInTheMiddleOfFillingLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, filled := range []int{0, 3} {
		r := newRepo(t)
		r.settled()
		before := everything(t, r.world())
		at := opened(t, r.top)
		plan, err := Look(context.Background(), at, at.Head, Options{})
		must(t, err)
		defer plan.Close()
		o := begun(t, at)
		ctx, cancel := context.WithCancelCause(context.Background())
		gone := errors.New("the user has gone")
		copies := 0
		plan.filling = func() {
			if copies++; copies > filled {
				cancel(gone)
			}
		}
		child := r.world() + "/x/child"
		if _, err = o.Create(ctx, CreateRequest{Path: child, Branch: "child", Base: at.Head, Like: plan}); !errors.Is(err, gone) {
			t.Errorf("said %v", err)
		}
		must(t, o.RollBack(context.Background()))
		must(t, o.Close())
		if after := everything(t, r.world()); after != before || copies <= filled {
			t.Errorf("not as before, after %d files:\n%s", copies, difference(before, after))
		}
	}
}

func TestNothingIsFilledThatIsNoWorktreeOfTheRepository(t *testing.T) {
	for name, make := range map[string]func(r *repo, at string){
		"a folder": func(r *repo, at string) { must(r, os.Mkdir(at, 0o755)) },
		"another repository": func(r *repo, at string) {
			r.git("clone", "-q", r.top, at)
			r.git("-C", at, "rm", "-rq", ".")
		},
		"a worktree of another repository": func(r *repo, at string) {
			r.git("clone", "-q", r.top, at+"-clone")
			r.git("-C", at+"-clone", "worktree", "add", "-q", "--no-checkout", at)
		},
		"a link to a worktree": func(r *repo, at string) {
			r.git("worktree", "add", "-q", "--no-checkout", at+"-true")
			must(r, os.Symlink(at+"-true", at))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			from := openAt(t, r.top)
			plan, err := Look(context.Background(), from, from.Head, Options{})
			must(t, err)
			defer plan.Close()
			at := filepath.Join(filepath.Dir(r.top), "there")
			make(r, at)
			before := snapshot(r, filepath.Dir(r.top))
			_, err = plan.fill(context.Background(), at)
			if no, ok := errors.AsType[*Refusal](err); !ok || no.Code != "notItself" {
				t.Errorf("filled with %v, want notItself", err)
			}
			if after := snapshot(r, filepath.Dir(r.top)); before != after {
				t.Errorf("something was written:\n%s", difference(before, after))
			}
		})
	}
}
