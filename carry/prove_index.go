package carry

import (
	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// proveIndex compares entry for entry. Both indexes differ from the same base, so comparing what their statuses say of
// that difference compares all entries; bits are not part of it, and are compared where anybody has some.
func (w *writing) proveIndex(child index, theirs *git.Status) error {
	x, unstage := &w.plan.index, w.plan.opts.Unstage
	want := map[string]entryChange{}
	announce := map[string]bool{}
	if !unstage {
		for name, e := range x.entries {
			if e.staged() {
				want[name] = e
			}
		}
		for _, a := range x.announce {
			announce[a.path] = true
		}
	}
	for _, c := range theirs.Changed {
		announces := c.IntentToAdd()
		if announces != announce[c.Path] {
			return worktree.Refuse("proofFailed", "path", c.Path)
		}
		delete(announce, c.Path)
		e := entryChange{c.ModeHead, c.ModeIndex, c.ObjectHead, c.ObjectIndex}
		if announces {
			e.mode, e.object = 0, zeros(c.ObjectHead)
			if c.Staged == '.' {
				continue
			}
		}
		if !e.staged() {
			continue
		}
		if w, ok := want[c.Path]; !ok || w.mode != e.mode || w.object != e.object {
			return worktree.Refuse("proofFailed", "path", c.Path)
		}
		delete(want, c.Path)
	}
	for name := range want {
		return worktree.Refuse("proofFailed", "path", name)
	}
	for name := range announce {
		return worktree.Refuse("proofFailed", "path", name)
	}
	if len(theirs.Unmerged) > 0 {
		return worktree.Refuse("proofFailed", "path", theirs.Unmerged[0])
	}
	if w.bits() || len(x.announce) > 0 && !unstage {
		return w.proveEntries(child)
	}
	return nil
}

// proveEntries compares the two lists of entries as they are. An announced entry whose file is gone does not come.
func (w *writing) proveEntries(child index) error {
	ours := &w.plan.seen.index
	gone := map[string]bool{}
	for _, l := range w.plan.Left {
		if l.Reason == "intentToAddGone" {
			gone[l.Path] = true
		}
	}
	matched, near := 0, 0
	for _, want := range ours.Entries {
		at := child.Find(want.Path, near)
		if at < 0 {
			if w.plan.opts.Unstage || gone[want.Path] {
				continue
			}
			return worktree.Refuse("proofFailed", "path", want.Path)
		}
		have := child.Entries[at]
		matched, near = matched+1, at+1
		if !ours.KnowsTimes() || !child.KnowsTimes() {
			want.Announced, have.Announced = false, false // git does not tell
		}
		if w.plan.opts.Unstage { // staging does not come; bits do
			want.Mode, want.Object, want.Announced = have.Mode, have.Object, have.Announced
		}
		if want != have {
			return worktree.Refuse("proofFailed", "path", want.Path)
		}
	}
	if matched == len(child.Entries) || w.plan.opts.Unstage {
		return nil
	}
	for _, have := range child.Entries {
		if ours.Find(have.Path, 0) < 0 {
			return worktree.Refuse("proofFailed", "path", have.Path)
		}
	}
	return nil
}
