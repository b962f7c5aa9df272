//go:build unix

package carry

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sidefork/sidefork/carry/git"
)

// TestCarryIsOneMomentOfItsParent changes the parent in ways that leave its index and its listed names as they were, at
// each of the places where a look is over and the next has not begun.
func TestCarryIsOneMomentOfItsParent(t *testing.T) {
	t.Parallel()
	type during struct {
		looked   func(r *repo, p *Plan) // between the look and the first write
		written  func(r *repo)          // between the first write and its proof
		compared func(r *repo)          // in the first proof, between comparing and the last look at the parent
		left     string                 // must be named as left
	}
	for name, c := range map[string]struct {
		before func(r *repo)
		during
	}{
		"a FIFO becomes an edited file": {
			before: func(r *repo) { r.remove("run.sh"); makeFIFO(r, r.path("run.sh")) },
			during: during{written: func(r *repo) { r.remove("run.sh"); r.write("run.sh", "edited\n") }},
		},
		"a FIFO becomes an edited file at the last moment": {
			before: func(r *repo) { r.remove("run.sh"); makeFIFO(r, r.path("run.sh")) },
			during: during{compared: func(r *repo) { r.remove("run.sh"); r.write("run.sh", "edited\n") }},
		},
		"an edited file becomes a FIFO": {
			during: during{looked: func(r *repo, _ *Plan) { r.remove("a.txt"); makeFIFO(r, r.path("a.txt")) }, left: "a.txt"},
		},
		"a new file becomes a FIFO": {
			during: during{looked: func(r *repo, _ *Plan) { r.remove("n.txt"); makeFIFO(r, r.path("n.txt")) }, left: "n.txt"},
		},
		"a clean file becomes a FIFO": {
			during: during{looked: func(r *repo, _ *Plan) { r.remove("run.sh"); makeFIFO(r, r.path("run.sh")) }, left: "run.sh"},
		},
		"a clean file becomes an empty folder": {
			during: during{looked: func(r *repo, _ *Plan) {
				r.remove("run.sh")
				must(r, os.Mkdir(r.path("run.sh"), 0o755))
				r.write("a.txt", "edited later\n")
			}},
		},
		"a clean file becomes a folder with files": {
			during: during{compared: func(r *repo) { r.remove("run.sh"); r.write("run.sh/x", "x") }},
		},
		"a file that was gone while it was looked for is back": {
			during: during{looked: func(r *repo, p *Plan) {
				// what git lists and lstat does not find
				p.seen.status.Untracked = append(p.seen.status.Untracked, "back.txt")
				tree, err := openTree(r.top)
				must(r, err)
				defer tree.close()
				must(r, p.untracked(tree.lookup(), "back.txt"))
			}, written: func(r *repo) { r.write("back.txt", "back\n") }},
		},
		"a nested repository becomes a folder of files": {
			before: func(r *repo) { r.write("nested/f", "f\n"); gitIn(r, r.path("nested"), "init", "-q") },
			during: during{written: func(r *repo) { r.remove("nested/.git") }},
		},
		"a staged file that was gone from disk is back": {
			before: func(r *repo) { r.write("st.txt", "st\n"); r.git("add", "st.txt"); r.remove("st.txt") },
			during: during{written: func(r *repo) { r.write("st.txt", "st\n") }},
		},
		"a deleted file is back with its bytes": {
			before: func(r *repo) { r.remove("docs/c.md") },
			during: during{compared: func(r *repo) { r.write("docs/c.md", "doc\n") }},
		},
		"an ignored folder becomes a file": {
			before: func(r *repo) { r.write("ignored/x", "x") },
			during: during{compared: func(r *repo) { r.remove("ignored"); r.write("ignored", "x") }},
		},
		"the ignore rules change": {
			before: func(r *repo) { r.write("x.log", "x") },
			during: during{compared: func(r *repo) { r.write(".gitignore", "/ignored/\n.env\n") }},
		},
		"new ignore rules in a folder": {
			before: func(r *repo) { r.write("docs/x.o", "x") },
			during: during{compared: func(r *repo) { r.write("docs/.gitignore", "*.o\n") }},
		},
		"something is staged while git is asked, and unstaged again": {
			during: during{looked: func(r *repo, p *Plan) {
				content, err := os.ReadFile(r.path(".git/index"))
				must(r, err)
				r.git("add", "n.txt")
				p.seen.status, err = statusOf(context.Background(), p.seen.command(git.StatusArgs(true)...))
				must(r, err)
				p.disk, p.named, p.index = nil, map[string]*item{}, indexPlan{}
				must(r, p.judge(context.Background()))
				must(r, os.WriteFile(r.path(".git/index.new"), content, 0o644))
				must(r, os.Rename(r.path(".git/index.new"), r.path(".git/index")))
			}},
		},
		"only the owner may run it now": {
			during: during{compared: func(r *repo) { must(r, os.Chmod(r.path("docs/c.md"), 0o744)) }},
		},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.write("a.txt", "edited\n")
			r.write("n.txt", "n\n")
			if c.before != nil {
				c.before(r)
			}
			plan, err := Look(context.Background(), openAt(t, r.top), openAt(t, r.top).Head, Options{})
			must(t, err)
			defer plan.Close()
			if c.looked != nil {
				c.looked(r, plan)
			}
			child := filepath.Join(filepath.Dir(r.top), "child")
			r.git("worktree", "add", "-q", "-b", "child", child, "HEAD")
			once := func(f *func(*repo)) {
				if do := *f; do != nil {
					*f = nil
					do(r)
				}
			}
			plan.between = func(string) { once(&c.written) }
			plan.compared = func() { once(&c.compared) }
			result, err := plan.Into(context.Background(), openAt(t, child), new(steps), nil)
			if err != nil {
				t.Fatal(explain(err))
			}
			var but []string
			if c.left != "" {
				but = []string{c.left}
				if !slices.ContainsFunc(result.Left, func(l Left) bool { return l.Path == c.left && l.Reason == "specialFile" }) {
					t.Errorf("left: %v, without %s", result.Left, c.left)
				}
			}
			if d := compareTrees(t, r.top, child, but); d != "" {
				t.Errorf("parent (-) and child (+) differ:\n%s", d)
			}
		})
	}
}

// A commit that leaves the index and every file as they are.
func TestCarryRefusesWhenParentsHeadMovesAtTheLastMoment(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "edited\n")
	r.write("b.txt", "b\n")
	plan, err := Look(context.Background(), openAt(t, r.top), openAt(t, r.top).Head, Options{})
	must(t, err)
	defer plan.Close()
	child := filepath.Join(filepath.Dir(r.top), "child")
	r.git("worktree", "add", "-q", "-b", "child", child, "HEAD")
	plan.compared = func() {
		r.git("commit", "-q", "--allow-empty", "-m", "more")
	}
	result, err := plan.Into(context.Background(), openAt(t, child), new(steps), nil)
	if result != nil || code(err) != "parentMoved" {
		t.Fatalf("got %v, %q; want parentMoved", result, code(err))
	}
}

// A tracked file that was edited and restored while the carry ran: what was seen of the others before may have belonged
// to its edited state.
func TestCarryLooksAgainWhenAFileWasEditedAndRestored(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("n.txt", "n\n")
	proofs := 0
	plan, err := Look(context.Background(), openAt(t, r.top), openAt(t, r.top).Head, Options{})
	must(t, err)
	defer plan.Close()
	child := filepath.Join(filepath.Dir(r.top), "child")
	r.git("worktree", "add", "-q", "-b", "child", child, "HEAD")
	plan.compared = func() {
		if proofs++; proofs == 1 {
			r.write("docs/c.md", "edited\n")
			r.write("docs/c.md", "doc\n")
		}
	}
	if _, err = plan.Into(context.Background(), openAt(t, child), new(steps), nil); err != nil {
		t.Fatal(explain(err))
	}
	if proofs < 2 {
		t.Error("one proof was enough")
	}
	if d := compareTrees(t, r.top, child, nil); d != "" {
		t.Error(d)
	}
}
