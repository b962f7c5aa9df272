package carry

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// young is how new a change time must be for a second change within the same tick of the clock to be possible.
const young = time.Second

// prove compares child and parent, and the parent with what it was. "" means that the child is proved equal and that
// the parent stood still; a path means that it has to be taken again, since it moved, or was found to be unlike only
// now. A difference that neither explains is the refusal proofFailed.
func (w *writing) prove(ctx context.Context) (again string, err error) {
	var theirs string // the child's HEAD
	var differ []string
	var child index
	begun := time.Now()
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) { differ, err = w.compare(gctx, w.plan.disk); return err })
	g.Go(func() (err error) { theirs, err = worktree.ReadHead(gctx, w.child); return err })
	g.Go(func() (err error) { child, err = readIndex(gctx, w.child); return err })
	if err := g.Wait(); err != nil {
		return "", err
	}
	if theirs != w.plan.base {
		return "", worktree.Refuse("proofFailed", "path", "HEAD")
	}
	if w.plan.compared != nil {
		w.plan.compared()
	}
	// The names come first, and HEAD and index last: this is the moment at which the child is the parent. What is seen
	// of a file from here on was so already, by its times, and what was copied or compared earlier must be so still.
	if name, err := w.newName(ctx); name != "" || err != nil {
		return name, err
	}
	seen, err := w.compareTracked(ctx, child, begun)
	if err != nil {
		return "", err
	}
	var status *git.Status // the child's own, where looking at its files is not enough
	if !seen.sure || !w.plan.fresh || w.plan.opts.Unstage {
		if status, err = w.childStatus(ctx); err != nil {
			return "", err
		}
		more, err := w.compareNamed(ctx, status)
		if err != nil {
			return "", err
		}
		differ = append(differ, more...)
		differ = w.settle(ctx, &seen, differ)
	}
	if moved, err := w.parentMoved(ctx, begun); moved != "" || err != nil {
		return moved, err
	}
	for _, name := range differ {
		if !w.untouched(name) {
			return "", worktree.Refuse("proofFailed", "path", name)
		}
		w.unsettled(name)
		again = name
	}
	if again != "" {
		return again, nil
	}
	if again = w.takeToo(seen); again != "" {
		return again, nil
	}
	if status != nil {
		return "", w.proveIndex(child, status)
	}
	return "", w.proveEntries(child)
}

// untouched says that a copy is as it was when it was made. One that differs all the same was made while its source
// changed without a trace: twice within a tick of the file system's clock.
func (w *writing) untouched(name string) bool {
	made, ok := w.written[name]
	now, err := w.target.lookup().lstat(name)
	return ok && err == nil && now.same(made)
}

// childStatus is the child's own status: it looks at every path that the child has changed, and writes what it learns
// into the child's index. Where bits hide something from it, it is asked once more of a copy without them.
func (w *writing) childStatus(ctx context.Context) (*git.Status, error) {
	s, err := statusOf(ctx, git.Command{Dir: w.child.Path, Args: git.StatusArgs(false), Refresh: w.plan.fresh})
	if err != nil || !w.bits() {
		return s, err
	}
	r, err := read(ctx, w.child, false)
	if err != nil {
		return nil, err
	}
	defer r.close()
	return r.status, nil
}

// compare gives the paths of the plan that are not the same on both sides, in type, mode, link text or bytes.
func (w *writing) compare(ctx context.Context, items []*item) (differ []string, err error) {
	var mu sync.Mutex
	err = inParallel(ctx, len(items), func(ctx context.Context, from, to int) error {
		a, b := w.parent.lookup(), w.target.lookup()
		for _, it := range items[from:to] {
			same, err := w.same(ctx, a, b, it)
			if err != nil {
				return &pathError{it.path, err}
			}
			if !same {
				mu.Lock()
				differ = append(differ, it.path)
				mu.Unlock()
			}
		}
		return nil
	})
	slices.Sort(differ)
	return differ, err
}

func (w *writing) same(ctx context.Context, ours, theirs *lookup, it *item) (bool, error) {
	a, err := ours.lstat(it.path)
	if err != nil {
		return false, err
	}
	b, err := theirs.lstat(it.path)
	if err != nil {
		return false, err
	}
	switch {
	case a.kind == special:
		return true, nil // left, by name
	case a.kind == folder:
		return b.kind == folder || b.kind == absent, nil // its files are named on their own
	case a.kind == absent:
		return b.kind == absent || b.kind == folder && !w.target.holds(it.path), nil
	case a.kind == file && a.mode != b.mode:
		return false, nil
	}
	same, err := equal(ctx, ours.tree, theirs.tree, it.path, a, b)
	if isAbsent(err) || isLoop(err) {
		return false, nil // it went away between lstat and open
	}
	return same, err
}

// holds says whether a folder has anything in it.
func (t *tree) holds(name string) bool { return !isEmptyFolder(t, name) }

// compareNamed looks at what the child's own status names beyond the plan. That is no difference by itself: a file
// with CRLF in its blob is modified for ever where a text attribute came later. Bytes, type and the owner's execute
// bit decide.
func (w *writing) compareNamed(ctx context.Context, theirs *git.Status) (differ []string, err error) {
	names := append([]string{}, theirs.Unmerged...)
	for _, c := range theirs.Changed {
		if c.ModeHead != git.ModeSubmodule && c.ModeIndex != git.ModeSubmodule {
			names = append(names, c.Path)
		}
	}
	names = append(names, theirs.Untracked...)
	a, b := w.parent.lookup(), w.target.lookup()
	left := map[string]bool{}
	for _, l := range w.plan.Left {
		left[l.Path] = true
	}
	for _, name := range names {
		if w.plan.named[name] != nil || left[strings.TrimSuffix(name, "/")] {
			continue
		}
		sa, err := a.lstat(name)
		if err != nil {
			return nil, err
		}
		sb, err := b.lstat(name)
		if err != nil {
			return nil, err
		}
		if sa.kind == folder && sb.kind == absent {
			continue
		}
		same, err := equal(ctx, w.parent, w.target, name, sa, sb)
		if err != nil && !isAbsent(err) {
			return nil, err
		}
		if !same || err != nil {
			differ = append(differ, name)
			continue
		}
		w.note(w.compared, name, sa)
	}
	return differ, nil
}

// parentMoved gives a path at which the parent is not what it was when it was looked at and copied, "" if it stood
// still: the same HEAD, the same index bytes, and each source with the same inode, size and times as before its copy.
// Its names were looked at by newName, what it tracks and did not change by compareTracked. Refusal: parentMoved.
func (w *writing) parentMoved(ctx context.Context, begun time.Time) (string, error) {
	stands, err := w.plan.seen.stands()
	if err != nil {
		return "", err
	}
	if !stands {
		return "the index", nil
	}
	head, err := worktree.ReadHead(ctx, w.plan.from)
	if err != nil {
		return "", err
	}
	if head != w.plan.base {
		return "", worktree.Refuse("parentMoved")
	}
	for name := range w.restless {
		return name, nil
	}
	var again []*item
	look := w.parent.lookup()
	for _, sources := range []map[string]stat{w.taken, w.compared} {
		for name, before := range sources {
			if ctx.Err() != nil {
				return "", context.Cause(ctx)
			}
			now, err := look.lstat(name)
			if err != nil {
				return "", err
			}
			if !now.same(before) {
				return name, nil
			}
			if now.kind == file && now.ctime > begun.Add(-young).UnixNano() {
				again = append(again, &item{path: name})
			}
		}
	}
	for _, it := range w.plan.disk { // what was to be removed must still be gone
		if it.was.kind != absent && it.was.kind != special {
			continue
		}
		now, err := look.lstat(it.path)
		switch {
		case err != nil || now.kind == file || now.kind == link:
			return it.path, err
		case now.kind == special && !slices.Contains(w.plan.seen.around.specials, it.path):
			return it.path, nil // it came after the look: nothing says yet that it stays behind
		}
	}
	return w.readAgain(ctx, again)
}

// readAgain compares the sources whose times are too new to be believed.
func (w *writing) readAgain(ctx context.Context, young []*item) (moved string, err error) {
	var mu sync.Mutex
	err = inParallel(ctx, len(young), func(ctx context.Context, from, to int) error {
		for _, it := range young[from:to] {
			same, err := equalBytes(ctx, w.parent, w.target, it.path, 64<<10)
			if err != nil && !isAbsent(err) && !isLoop(err) {
				return &pathError{it.path, err}
			}
			if !same {
				mu.Lock()
				moved = it.path
				mu.Unlock()
			}
		}
		return nil
	})
	if moved == "" || err != nil {
		return "", err
	}
	if !w.untouched(moved) {
		return "", worktree.Refuse("proofFailed", "path", moved)
	}
	w.unsettled(moved)
	return moved, nil
}

// otherName is a path of which two looks at the parent do not say the same. Nested repositories and ignored files are
// not compared: they never come, and a child that lies inside its parent is one.
func otherName(before, after *git.Status) string {
	seen := map[string]git.Change{}
	for _, c := range before.Changed {
		seen[c.Path] = c
	}
	for _, c := range after.Changed {
		if was, ok := seen[c.Path]; !ok || was != c {
			return c.Path
		}
		delete(seen, c.Path)
	}
	for name := range seen {
		return name
	}
	names := map[string]bool{}
	for _, name := range before.Untracked {
		names[name] = true
	}
	for _, name := range after.Untracked {
		if !names[name] && !strings.HasSuffix(name, "/") {
			return name
		}
		delete(names, name)
	}
	for name := range names {
		if !strings.HasSuffix(name, "/") {
			return name
		}
	}
	if len(after.Unmerged) > 0 {
		return after.Unmerged[0]
	}
	return ""
}
