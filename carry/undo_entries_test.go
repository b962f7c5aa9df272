//go:build unix

package carry

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/carry/git"
)

// noting records with each step the entries that it will write, as the parent's index has them.
type noting struct {
	*Operation
	parent *repo
}

func (n noting) Will(step Step) error {
	if step.Carry != nil && step.Carry.Entries == nil {
		step.Carry.Entries = n.parent.staged()
	}
	return n.Operation.Will(step)
}

func (r *repo) staged() []StagedEntry {
	r.Helper()
	now, err := stagedNow(context.Background(), git.Command{Dir: r.top}, strings.TrimSpace(r.git("rev-parse", "HEAD")))
	must(r, err)
	list := []StagedEntry{}
	for p, e := range now {
		list = append(list, StagedEntry{[]byte(p), e.mode, e.object})
	}
	return list
}

// TestTakingBackKeepsEntriesThatSomebodyStagedSince at the very paths that the carry wrote.
func TestTakingBackKeepsEntriesThatSomebodyStagedSince(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		work  func(r *repo, at string)
		named []string // nil: it is taken back
	}{
		"nothing": {func(*repo, string) {}, nil},
		"what is there already": {func(r *repo, at string) {
			gitIn(r, at, "add", "a.txt")
			gitIn(r, at, "status")
		}, nil},
		"all is out again, as before the carry": {func(r *repo, at string) { gitIn(r, at, "reset", "-q", "--mixed"); gitIn(r, at, "add", "-N", "new.txt") }, nil},
		"other content": {func(r *repo, at string) {
			blob := strings.TrimSpace(gitIn(r, at, "rev-parse", "HEAD:docs/c.md"))
			gitIn(r, at, "update-index", "--cacheinfo", "100644,"+blob+",a.txt")
		}, []string{"a.txt"}},
		"the commit's own content":      {func(r *repo, at string) { gitIn(r, at, "reset", "-q", "--", "a.txt") }, []string{"a.txt"}},
		"a removal undone":              {func(r *repo, at string) { gitIn(r, at, "reset", "-q", "--", "docs/c.md") }, []string{"docs/c.md"}},
		"another mode":                  {func(r *repo, at string) { gitIn(r, at, "update-index", "--chmod=+x", "a.txt") }, []string{"a.txt"}},
		"an edit that was not staged":   {func(r *repo, at string) { gitIn(r, at, "add", "src/b.txt") }, []string{"src/b.txt"}},
		"a removal of a carried entry":  {func(r *repo, at string) { gitIn(r, at, "rm", "-q", "--cached", "a.txt") }, []string{"a.txt"}},
		"a path that was not carried":   {func(r *repo, at string) { gitIn(r, at, "update-index", "--chmod=-x", "run.sh") }, []string{"run.sh"}},
		"an announced one, now staged":  {func(r *repo, at string) { gitIn(r, at, "add", "new.txt") }, []string{"new.txt"}},
		"a file staged and out of disk": {func(r *repo, at string) { gitIn(r, at, "add", "plain.txt") }, []string{"plain.txt"}},
	} {
		if !sampled(t, name) {
			continue
		}
		for _, fresh := range []bool{true, false} {
			t.Run(name+map[bool]string{true: "/in a child", false: "/in a workspace"}[fresh], func(t *testing.T) {
				t.Parallel()
				r := newRepo(t)
				target := filepath.Join(r.world(), "target")
				if !fresh {
					r.git("worktree", "add", "-q", "-b", "target", target, "HEAD")
				}
				r.write("a.txt", "carried and staged\n")
				r.git("add", "a.txt")
				r.git("rm", "-q", "--cached", "docs/c.md")
				r.write("src/b.txt", "carried\n")
				r.write("plain.txt", "carried\n")
				r.write("new.txt", "announced\n")
				r.git("add", "-N", "new.txt")
				source := opened(t, r.top)
				plan, err := Look(context.Background(), source, source.Head, Options{})
				must(t, err)
				defer plan.Close()
				o := begun(t, source)
				if fresh {
					created(t, o, target, "target")
				} else {
					must(t, plan.Against(context.Background(), opened(t, target)))
				}
				_, err = plan.Into(context.Background(), opened(t, target), noting{o, r}, nil)
				must(t, err)
				c.work(r, target)
				before := gitIn(t, target, "ls-files", "-s") + gitIn(t, target, "status", "--porcelain")
				err = o.RollBack(context.Background())
				if c.named == nil {
					if err != nil {
						t.Errorf("%v", err)
					}
					return
				}
				stuck, ok := errors.AsType[*Stuck](err)
				if !ok {
					t.Fatalf("rolled back over it: %v", err)
				}
				for i, p := range stuck.Paths {
					stuck.Paths[i], _ = filepath.Rel(target, p)
				}
				if !slices.Equal(stuck.Paths, c.named) {
					t.Errorf("named: %q", stuck.Paths)
				}
				if after := gitIn(t, target, "ls-files", "-s") + gitIn(t, target, "status", "--porcelain"); after != before {
					t.Errorf("was\n%s\nand is\n%s", before, after)
				}
			})
		}
	}
}

// TestRecoverKnowsWhatAHookTookOut of the index and the disk again.
func TestRecoverKnowsWhatAHookTookOut(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "carried and staged\n")
	r.write("docs/c.md", "this too\n")
	r.git("add", "a.txt", "docs/c.md")
	source := opened(t, r.top)
	hook(t, source, "git show HEAD:a.txt >a.txt && git reset -q -- a.txt")
	before := everything(t, r.world())
	plan, err := Look(context.Background(), source, source.Head, Options{})
	must(t, err)
	defer plan.Close()
	o := begun(t, source)
	child := created(t, o, r.world()+"/x/child", "feat/child")
	_, err = plan.Into(context.Background(), child, noting{o, r}, nil)
	must(t, err)
	if h := o.RunHook(context.Background(), child); h.Failed || !slices.Equal(h.Changed, []string{"a.txt"}) {
		t.Fatalf("%+v", h)
	}
	must(t, o.Close()) // with neither Keep nor RollBack: as if it had been killed
	if got := recovered(t, r); len(got) != 1 || got[0].Action != "rolledBack" {
		t.Errorf("%+v", got)
	}
	unchanged(t, r, before)
}
