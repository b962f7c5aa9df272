package carry

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// A path that both sides track and the plan does not name is proved either by both indexes, each of which vouches that
// its file is the one that git has seen for the same blob, or by its bytes. Most files are proved by the first, which
// reads none of them and needs no process; see vouches for when an index is not to be believed.

// tracked is what looking at all tracked paths has found.
type tracked struct {
	sure     bool    // the child holds nothing but what git and this carry wrote
	unlike   []*item // paths that are not in the child as the parent has them, and must be brought too
	doubtful []*item // the same, but the child's index does not vouch that they are as git wrote them
	moved    bool    // the parent's index does not vouch for some of them either
}

// tick is longer than the time for which a system's clock stands still for its files.
const tick = 20 * time.Millisecond

// compareTracked looks at each tracked path on both sides, as it is now. A file that was changed after begun and has the
// child's bytes all the same was something else in between: it is restless.
func (w *writing) compareTracked(ctx context.Context, child index, begun time.Time) (tracked, error) {
	if err := w.plan.seen.rules.Wait(); err != nil {
		return tracked{}, err
	}
	ours := &w.plan.seen.index
	child.alone = w.plan.fresh
	seen := tracked{sure: ours.KnowsTimes() && child.KnowsTimes()}
	var mu sync.Mutex
	err := inParallel(ctx, len(ours.Entries), func(ctx context.Context, from, to int) error {
		left, right := w.parent.lookup(), w.target.lookup()
		for i := from; i < to; i++ {
			name := ours.Entries[i].Path
			if ours.Entries[i].Mode == git.ModeSubmodule || w.plan.named[name] != nil {
				continue
			}
			a, err := left.lstat(name)
			if err != nil {
				return err
			}
			b, err := right.lstat(name)
			if err != nil {
				return err
			}
			if _, named := w.plan.index.entries[name]; named { // it is special, or staged only and nowhere on disk
				if a.kind == absent && b.kind != absent {
					mu.Lock()
					seen.sure = false
					mu.Unlock()
				}
				continue
			}
			mine, theirs := ours.vouches(i, a), child.vouches(child.Find(name, i), b)
			same, err := w.alike(ctx, name, a, b, mine && theirs)
			if err != nil {
				return &pathError{name, err}
			}
			if same {
				if !mine && a.ctime > begun.Add(-tick).UnixNano() {
					w.unsettled(name)
				}
				continue
			}
			it := &item{path: name, was: a, inBase: true}
			mu.Lock()
			if theirs {
				seen.unlike = append(seen.unlike, it)
			} else {
				seen.doubtful, seen.sure = append(seen.doubtful, it), false
			}
			seen.moved = seen.moved || !mine
			mu.Unlock()
		}
		return nil
	})
	if err != nil || !seen.sure || !w.plan.fresh {
		return seen, err
	}
	x, err := listAll(ctx, &explorer{tree: w.target, closed: submodules(child.Entries), known: func(name string) bool {
		return child.Find(name, 0) >= 0 || w.plan.named[name] != nil
	}})
	seen.sure = err == nil && len(x.unknown)+len(x.nested) == 0
	return seen, err
}

// alike compares type, size, the owner's execute bit, and the bytes where nobody vouches for them or a rule stands
// between blob and disk.
func (w *writing) alike(ctx context.Context, name string, a, b stat, vouched bool) (bool, error) {
	if a.kind != b.kind || a.kind == file && (a.size != b.size || (a.mode^b.mode)&0o100 != 0) {
		return false, nil
	}
	if vouched && !w.plan.seen.ruled[name] && !w.ruled[name] {
		return true, nil
	}
	same, err := equal(ctx, w.parent, w.target, name, a, b)
	if isAbsent(err) || isLoop(err) {
		return false, nil // it went away between lstat and open
	}
	if same {
		w.note(w.compared, name, a)
	}
	return same, err
}

// settle ends the doubts: git has looked into the child's files, and names those that are not as it wrote them, of which
// differ has what is not the parent's either. Any other is what a checkout makes there. So are some that git names: it
// calls a fresh checkout modified where a rule came after the blob. What is left of differ is given back.
func (w *writing) settle(ctx context.Context, t *tracked, differ []string) []string {
	for _, it := range t.doubtful {
		at := slices.Index(differ, it.path)
		if at >= 0 && !w.asCheckedOut(ctx, it.path) {
			continue
		}
		if at >= 0 {
			differ = slices.Delete(differ, at, at+1)
		}
		t.unlike = append(t.unlike, it)
	}
	t.doubtful = nil
	return differ
}

// asCheckedOut says whether the child's file surely has the bytes that a checkout of the base writes.
func (w *writing) asCheckedOut(ctx context.Context, name string) bool {
	want, err := git.Command{Dir: w.child.Path}.CheckedOut(ctx, w.plan.base, name)
	if err != nil {
		return false
	}
	f, err := w.target.open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	same, err := sameContent(ctx, f, bytes.NewReader(want), int64(len(want)))
	return same && err == nil
}

// takeToo adds what was found to the plan and gives one of the paths.
func (w *writing) takeToo(seen tracked) string {
	for _, it := range seen.unlike {
		w.plan.disk = append(w.plan.disk, it)
		w.plan.named[it.path] = it
	}
	if len(seen.unlike) == 0 {
		return ""
	}
	w.onlyMore = !seen.moved
	return seen.unlike[0].path
}

// newName is a path by which the parent's names are not those of the look: files that came since, or a path that was
// left and has become another kind of thing.
func (w *writing) newName(ctx context.Context) (string, error) {
	r := w.plan.seen
	names := map[string]bool{}
	closed := submodules(r.index.Entries)
	for _, list := range [][]string{r.status.Untracked, r.status.Ignored, r.around.specials} {
		for _, name := range list {
			if folder, ok := strings.CutSuffix(name, "/"); ok {
				closed[folder] = true
			} else {
				names[name] = true
			}
		}
	}
	for name := range r.gone {
		names[name] = true
	}
	x, err := listAll(ctx, &explorer{tree: w.parent, closed: closed, known: func(name string) bool {
		return names[name] || r.index.Find(name, 0) >= 0 || w.plan.named[name] != nil
	}})
	if err != nil {
		return "", err
	}
	look := w.parent.lookup()
	for name, was := range w.plan.aside {
		if s, err := look.lstat(name); err != nil || s.kind != was {
			return name, err
		}
	}
	for _, name := range r.status.Untracked {
		if folder, ok := strings.CutSuffix(name, "/"); ok { // a repository: without its .git its files would come
			if s, err := look.lstat(folder + "/.git"); err != nil || s.kind == absent {
				return folder, err
			}
		}
	}
	if len(x.unknown) == 0 {
		return "", nil
	}
	now, err := statusOf(ctx, r.command(git.StatusArgs(false)...)) // it may be something that is ignored
	if err != nil {
		return "", err
	}
	if now.Head != w.plan.base {
		return "", worktree.Refuse("parentMoved")
	}
	return otherName(r.status, now), nil
}

func submodules(entries []git.Entry) map[string]bool {
	folders := map[string]bool{}
	for i := range entries {
		if entries[i].Mode == git.ModeSubmodule {
			folders[path.Clean(entries[i].Path)] = true
		}
	}
	return folders
}
