//go:build unix

package carry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/carry/worktree"
)

// forkDuring forks and does something between the write and its proof, at most as often as told.
func (r *repo) forkDuring(times int, do func(child string)) (string, *Result, error) {
	r.Helper()
	plan, err := Look(context.Background(), openAt(r, r.top), openAt(r, r.top).Head, Options{})
	must(r, err)
	r.Cleanup(plan.Close)
	child := filepath.Join(filepath.Dir(r.top), "child")
	r.git("worktree", "add", "-q", "-b", "child", child, "HEAD")
	plan.between = func(child string) {
		if times--; times >= 0 {
			do(child)
		}
	}
	result, err := plan.Into(context.Background(), openAt(r, child), new(steps), nil)
	return child, result, err
}

func code(err error) string {
	if no, ok := err.(*worktree.Refusal); ok {
		return no.Code
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestProofSeesOneOtherByteInTheChild(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(child string) error{
		"byte of a tracked file": func(c string) error { return os.WriteFile(filepath.Join(c, "a.txt"), []byte("Edited\n"), 0o644) },
		"byte with its old time": func(c string) error {
			info, err := os.Lstat(filepath.Join(c, "n.txt"))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(c, "n.txt"), []byte("m\n"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(filepath.Join(c, "n.txt"), info.ModTime(), info.ModTime())
		},
		"mode": func(c string) error { return os.Chmod(filepath.Join(c, "n.txt"), 0o600) },
		"link text": func(c string) error {
			os.Remove(filepath.Join(c, "l"))
			return os.Symlink("b.txt", filepath.Join(c, "l"))
		},
		"missing file":       func(c string) error { return os.Remove(filepath.Join(c, "n.txt")) },
		"deleted one back":   func(c string) error { return os.WriteFile(filepath.Join(c, "docs/c.md"), []byte("doc\n"), 0o644) },
		"file of its own":    func(c string) error { return os.WriteFile(filepath.Join(c, "extra"), []byte("doc\n"), 0o644) },
		"clean tracked file": func(c string) error { return os.WriteFile(filepath.Join(c, "run.sh"), []byte("doc\n"), 0o755) },
		"unstaged":           func(c string) error { _, err := tryGit(c, "reset", "-q", "s.txt"); return err },
		"more staged":        func(c string) error { _, err := tryGit(c, "add", "n.txt"); return err },
		"other object": func(c string) error {
			_, err := tryGit(c, "update-index", "--cacheinfo", "100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,s.txt")
			return err
		},
		"commit": func(c string) error { _, err := tryGit(c, "commit", "-q", "-m", "x"); return err },
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.write("a.txt", "edited\n")
			r.write("n.txt", "n\n")
			r.link("a.txt", "l")
			r.remove("docs/c.md")
			r.write("s.txt", "s\n")
			r.git("add", "s.txt")
			_, result, err := r.forkDuring(1, func(child string) { must(t, alter(child)) })
			if result != nil || code(err) != "proofFailed" {
				t.Fatalf("got %v, %q; want the refusal proofFailed", result, code(err))
			}
		})
	}
}

func TestCarryTakesAgainWhatMovesInTheParent(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(r *repo){
		"an edited file is edited again": func(r *repo) { r.write("a.txt", "edited again\n") },
		"the same size at once":          func(r *repo) { r.write("n.txt", "m\n") },
		"a clean file is edited":         func(r *repo) { r.write("run.sh", "now") },
		"a new file appears":             func(r *repo) { r.write("later/n2.txt", "n2") },
		"a new file goes":                func(r *repo) { r.remove("n.txt") },
		"an edit is taken back":          func(r *repo) { r.git("checkout", "-q", "a.txt") },
		"a deleted file is back":         func(r *repo) { r.git("checkout", "-q", "docs/c.md") },
		"something is staged":            func(r *repo) { r.git("add", "a.txt") },
		"something is unstaged":          func(r *repo) { r.git("reset", "-q", "s.txt") },
		"an announced file is dropped":   func(r *repo) { r.git("reset", "-q", "i.txt") },
		"a file becomes a link":          func(r *repo) { r.remove("n.txt"); r.link("a.txt", "n.txt") },
		"a file becomes a folder":        func(r *repo) { r.remove("a.txt"); r.write("a.txt/x", "x") },
		"a file becomes a FIFO":          func(r *repo) { r.remove("n.txt"); makeFIFO(r, r.path("n.txt")) },
		"git status refreshes the index": func(r *repo) {
			must(r, os.Chtimes(r.path("run.sh"), old, old))
			r.git("update-index", "-q", "--refresh")
		},
		"a closed folder gets one more": func(r *repo) {
			must(r, os.Chmod(r.path("ro"), 0o755))
			r.write("ro/h", "h")
			must(r, os.Chmod(r.path("ro"), 0o555))
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
			r.write("ro/g", "g")
			must(t, os.Chmod(r.path("ro"), 0o555))
			t.Cleanup(func() { os.Chmod(r.path("ro"), 0o755); os.Chmod(filepath.Join(filepath.Dir(r.top), "child/ro"), 0o755) })
			r.remove("docs/c.md")
			r.write("s.txt", "s\n")
			r.git("add", "s.txt")
			r.write("i.txt", "i\n")
			r.git("add", "-N", "i.txt")
			child, _, err := r.forkDuring(1, func(string) { move(r) })
			if err != nil {
				t.Fatal(explain(err))
			}
			if d := compareTrees(t, r.top, child, nil); d != "" {
				t.Fatalf("parent (-) and child (+) differ:\n%s", d)
			}
		})
	}
}

// A change within the same tick of the clock leaves no trace in any time: only the bytes tell.
func TestCarryTakesAgainWhatChangedWithoutATrace(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("n.txt", "n\n")
	plan, err := Look(context.Background(), openAt(t, r.top), openAt(t, r.top).Head, Options{})
	must(t, err)
	defer plan.Close()
	child := filepath.Join(filepath.Dir(r.top), "child")
	r.git("worktree", "add", "-q", "-b", "child", child, "HEAD")
	w, err := plan.begin(openAt(t, child), new(steps), nil)
	must(t, err)
	defer w.close()
	must(t, w.writeAll(context.Background()))
	r.write("n.txt", "m\n")
	w.taken["n.txt"], err = w.parent.at("n.txt") // as if its times had not changed
	must(t, err)
	moved, err := w.prove(context.Background())
	if moved != "n.txt" || err != nil {
		t.Fatalf("got %q, %v; want n.txt to be taken again", moved, err)
	}
	must(t, w.lookAgain(context.Background()))
	must(t, w.writeAll(context.Background()))
	if moved, err = w.prove(context.Background()); moved != "" || err != nil {
		t.Fatalf("got %q, %v", moved, err)
	}
	if d := compareTrees(t, r.top, child, nil); d != "" {
		t.Error(d)
	}
}

func TestCarryTakesAgainWhatMovesAfterItWasCompared(t *testing.T) {
	t.Parallel()
	for name, trace := range map[string]bool{"with other times": true, "within a tick": false} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.write("n.txt", "n\n")
			plan, err := Look(context.Background(), openAt(t, r.top), openAt(t, r.top).Head, Options{})
			must(t, err)
			defer plan.Close()
			child := filepath.Join(filepath.Dir(r.top), "child")
			r.git("worktree", "add", "-q", "-b", "child", child, "HEAD")
			w, err := plan.begin(openAt(t, child), new(steps), nil)
			must(t, err)
			defer w.close()
			must(t, w.writeAll(context.Background()))
			plan.compared = func() {
				r.write("n.txt", "m\n")
				if !trace {
					w.taken["n.txt"], err = w.parent.at("n.txt")
					must(t, err)
				}
			}
			if moved, err := w.prove(context.Background()); moved != "n.txt" || err != nil {
				t.Fatalf("got %q, %v; want n.txt to be taken again", moved, err)
			}
		})
	}
}

func TestCancellingInTheMiddleOfAnythingEndsTheCarry(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("big", strings.Repeat("0123456789abcdef", 8<<16))
	plan, err := Look(context.Background(), openAt(t, r.top), openAt(t, r.top).Head, Options{})
	must(t, err)
	defer plan.Close()
	child := filepath.Join(filepath.Dir(r.top), "child")
	r.git("worktree", "add", "-q", "-b", "child", child, "HEAD")
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	calls := 0
	recorded := new(steps)
	_, err = plan.Into(ctx, openAt(t, child), recorded, func(done, total int64) {
		if calls++; done < total {
			cancel(stop)
		}
	})
	if !errors.Is(err, stop) || calls > 2 {
		t.Fatalf("got %v after %d blocks", err, calls)
	}
	must(t, takeBack(*(*recorded)[0].Carry))
	if d := gitIn(t, child, "status", "--porcelain", "--ignored"); d != "" {
		t.Error(d)
	}
}

func TestCarryGivesUpWhenTheParentNeverStops(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("log.txt", "0")
	n := 0
	_, result, err := r.forkDuring(100, func(string) { n++; r.write("log.txt", strings.Repeat("x", n)) })
	if result != nil || code(err) != "parentChanging" || n != rounds {
		t.Fatalf("got %v, %q after %d rounds; want parentChanging after %d", result, code(err), n, rounds)
	}
}

func TestCarryRefusesWhenParentCommits(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "edited\n")
	_, result, err := r.forkDuring(1, func(string) { r.commit("meanwhile") })
	if result != nil || code(err) != "parentMoved" {
		t.Fatalf("got %v, %q; want parentMoved", result, code(err))
	}
}
