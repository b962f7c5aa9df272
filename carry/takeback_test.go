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

// TestExistingTargetIsRestoredExactly takes back what was carried into a clean workspace that was there before.
func TestExistingTargetIsRestoredExactly(t *testing.T) {
	t.Parallel()
	for name, state := range states {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			state(r)
			target := filepath.Join(filepath.Dir(r.top), "target")
			r.git("worktree", "add", "-q", "-b", "target", target, "HEAD")
			time.Sleep(10 * time.Millisecond) // younger files than the index would be read anew by each git status
			before := withoutFolders(snapshot(t, target))
			at := openAt(t, target)
			index, err := os.ReadFile(filepath.Join(at.GitDir, "index"))
			must(t, err)

			plan, err := Look(context.Background(), openAt(t, r.top), at.Head, Options{})
			must(t, err)
			defer plan.Close()
			must(t, plan.Against(context.Background(), at))
			if no := plan.Refused(); no != nil {
				t.Fatal(explain(no))
			}
			recorded := new(steps)
			if _, err := plan.Into(context.Background(), at, recorded, nil); err != nil {
				t.Fatal(explain(err))
			}
			if d := compareTrees(t, r.top, target, nil); d != "" {
				t.Fatalf("source (-) and target (+) differ:\n%s", d)
			}
			for range 2 { // it may be run again
				for i := len(*recorded) - 1; i >= 0; i-- {
					must(t, takeBack(*(*recorded)[i].Carry))
				}
			}
			if after := withoutFolders(snapshot(t, target)); after != before {
				t.Errorf("not restored:\n%s", difference(before, after))
			}
			if now, err := os.ReadFile(filepath.Join(at.GitDir, "index")); err != nil || string(now) != string(index) {
				t.Error("the index is another one", err)
			}
			noAside(t, at.GitDir)
		})
	}
}

// withoutFolders leaves out the times and inodes of folders: they are made again, and what changes in them changes them.
func withoutFolders(snapshot string) string {
	var lines []string
	for line := range strings.SplitSeq(snapshot, "\n") {
		if at := strings.Index(line, "\" d"); at >= 0 {
			line = line[:at+len("\" drwxrwxrwx")]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func noAside(t *testing.T, gitDir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(gitDir, "sidefork-aside-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// carryInto carries into an existing workspace and gives the steps.
func (r *repo) carryInto(target string) (*steps, error) {
	r.Helper()
	at := openAt(r, target)
	plan, err := Look(context.Background(), openAt(r, r.top), at.Head, Options{})
	must(r, err)
	defer plan.Close()
	must(r, plan.Against(context.Background(), at))
	if no := plan.Refused(); no != nil {
		return nil, no
	}
	recorded := new(steps)
	_, err = plan.Into(context.Background(), at, recorded, nil)
	return recorded, err
}

func TestSettlingRemovesWhatWasPutAside(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "x")
	target := filepath.Join(filepath.Dir(r.top), "target")
	r.git("worktree", "add", "-q", "-b", "target", target, "HEAD")
	recorded, err := r.carryInto(target)
	must(t, err)
	must(t, settle(*(*recorded)[0].Carry))
	noAside(t, openAt(t, target).GitDir)
}

func TestTakingBackKeepsWhatSomebodyElseWrote(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "x")
	r.write("new/n.txt", "n")
	target := filepath.Join(filepath.Dir(r.top), "target")
	r.git("worktree", "add", "-q", "-b", "target", target, "HEAD")
	recorded, err := r.carryInto(target)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(target, "a.txt"), []byte("somebody's work"), 0o644))
	must(t, os.WriteFile(filepath.Join(target, "new/own.txt"), []byte("own"), 0o644))
	stuck, ok := errors.AsType[*Stuck](takeBack(*(*recorded)[0].Carry))
	if !ok || len(stuck.Paths) == 0 {
		t.Fatal("nothing was said to stand")
	}
	for name, want := range map[string]string{"a.txt": "somebody's work", "new/own.txt": "own"} {
		if got, err := os.ReadFile(filepath.Join(target, name)); string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
}

func TestExistingTargetIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code  string
		state func(r *repo, target string)
	}{
		"an edit":    {"targetDirty", func(r *repo, c string) { must(r, os.WriteFile(filepath.Join(c, "run.sh"), nil, 0o755)) }},
		"a new file": {"targetDirty", func(r *repo, c string) { must(r, os.WriteFile(filepath.Join(c, "own"), nil, 0o644)) }},
		"a hidden edit": {"targetDirty", func(r *repo, c string) {
			gitIn(r, c, "update-index", "--assume-unchanged", "run.sh")
			must(r, os.WriteFile(filepath.Join(c, "run.sh"), nil, 0o755))
		}},
		"another commit":  {"baseMismatch", func(r *repo, c string) { gitIn(r, c, "commit", "-q", "--allow-empty", "-m", "x") }},
		"an ignored file": {"targetDirty", func(r *repo, c string) { must(r, os.WriteFile(filepath.Join(c, "forced.log"), nil, 0o644)) }},
		"an ignored folder": {"targetDirty", func(r *repo, c string) {
			must(r, os.MkdirAll(filepath.Join(c, "ignored"), 0o755))
			must(r, os.WriteFile(filepath.Join(c, "ignored/x"), nil, 0o644))
		}},
		"an ignored link": {"linkInTheWay", func(r *repo, c string) { must(r, os.Symlink(r.TempDir(), filepath.Join(c, "out.log"))) }},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.write("a.txt", "x")
			r.write("forced.log", "f")
			r.write("out.log/in", "i")
			r.write("ignored", "i")
			r.git("add", "-f", "forced.log", "out.log/in", "ignored")
			target := filepath.Join(filepath.Dir(r.top), "target")
			r.git("worktree", "add", "-q", "-b", "target", target, "HEAD")
			c.state(r, target)
			before := snapshot(t, target)
			if _, err := r.carryInto(target); code(err) != c.code {
				t.Errorf("got %q, want %q", code(err), c.code)
			}
			if after := snapshot(t, target); after != before {
				t.Errorf("the target was changed:\n%s", difference(before, after))
			}
		})
	}
}

func TestCRLFBlobUnderATextAttributeIsNotDirty(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	states["CRLF in the blob, then a text attribute"](r)
	target := filepath.Join(filepath.Dir(r.top), "target")
	r.git("worktree", "add", "-q", "-b", "target", target, "HEAD")
	if _, err := r.carryInto(target); err != nil {
		t.Error(explain(err))
	}
}

func TestCarryBetweenStrangersIsRefused(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	at := openAt(t, r.top)
	plan, err := Look(context.Background(), at, at.Head, Options{})
	must(t, err)
	defer plan.Close()
	must(t, plan.Against(context.Background(), at))
	if no := plan.Refused(); no == nil || no.Code != "sameWorkspace" {
		t.Error(no)
	}
	other, err := Look(context.Background(), at, at.Head, Options{})
	must(t, err)
	defer other.Close()
	must(t, other.Against(context.Background(), openAt(t, newRepo(t).top)))
	if no := other.Refused(); no == nil || no.Code != "otherRepository" {
		t.Error(no)
	}
}
