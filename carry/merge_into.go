package carry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// into writes a plan that merges, once, and proves it. What it is made of must stand still from the look on: there are no
// rounds, since another state of the source, or of the target, would be another merge.
func (m *merging) into(ctx context.Context, w *writing) error {
	begun := time.Now()
	w.ruled = map[string]bool{} // what the target's checkout wrote is not asked
	said := &listening{recorder: w.recorder}
	w.recorder = said
	if moved, err := m.targetMoved(ctx, w, nil); err != nil || moved != "" {
		return targetMoved(moved, err)
	}
	for name, was := range m.sources {
		if now, err := w.parent.lookup().lstat(name); err != nil || !stillAs(was.stat, now) {
			return parentChanging(name, err)
		}
	}
	err := w.writeDisk(ctx)
	if err == nil {
		err = m.writeBlobs(ctx)
	}
	if err == nil {
		err = w.writeIndex(ctx)
	}
	if err != nil {
		return w.failed(ctx, err)
	}
	if w.plan.between != nil {
		w.plan.between(w.child.Path)
	}
	if err := m.prove(ctx, w, said.step, begun); err != nil {
		return w.failed(ctx, err)
	}
	return nil
}

// listening is a recorder that keeps what was recorded last.
type listening struct {
	recorder
	step *CarryStep
}

func (l *listening) Will(step Step) error {
	l.step = step.Carry
	return l.recorder.Will(step)
}

func parentChanging(name string, err error) error {
	if err != nil {
		return err
	}
	return worktree.Refuse("parentChanging", "path", name)
}

func targetMoved(name string, err error) error {
	if err != nil {
		return err
	}
	return worktree.Refuse("targetMoved", "path", name)
}

// stillAs says that nothing touched a source since the look. A plan has nothing for a path that is a folder by now, whose
// files are named on their own; a folder that it names is an empty one.
func stillAs(was, now stat) bool {
	if was.kind == absent || was.kind == folder {
		return now.kind == was.kind || now.kind == folder
	}
	return now.same(was)
}

// writeBlobs gives the merged index entries their objects, which nothing refers to until the index does.
func (m *merging) writeBlobs(ctx context.Context) error {
	for object, content := range m.blobs {
		written, err := git.Command{Dir: m.target.Path}.WriteBlob(ctx, content)
		if err != nil {
			return err
		}
		if written != object {
			return worktree.Refuse("proofFailed", "path", object)
		}
	}
	return nil
}

// holdsMore says that a folder of the target has something that stays, or that comes.
func (w *writing) holdsMore(dir string) bool {
	for _, it := range w.plan.disk {
		if it.was.kind != absent && strings.HasPrefix(it.path, dir+"/") {
			return true
		}
	}
	return w.plan.otherIn(w.target, dir) != ""
}

// prove says that each path of the plan is in the target what the merge has made of it, on disk and in the index, that
// all else that the target tracks is untouched, and that the source stood still since the look.
func (m *merging) prove(ctx context.Context, w *writing, step *CarryStep, begun time.Time) error {
	for name := range w.restless {
		return parentChanging(name, nil)
	}
	differ, err := m.compare(ctx, w)
	if err != nil {
		return err
	}
	if w.plan.compared != nil {
		w.plan.compared()
	}
	if moved, err := m.sourceMoved(ctx, w, begun); err != nil || moved != "" {
		return parentChanging(moved, err)
	}
	if moved, err := m.targetMoved(ctx, w, step); err != nil || moved != "" {
		return targetMoved(moved, err)
	}
	switch {
	case differ != "" && !w.untouched(differ):
		return targetMoved(differ, nil)
	case differ != "":
		return worktree.Refuse("proofFailed", "path", differ)
	}
	return m.proveEntries(ctx, w)
}

// compare gives a path of the plan that is not in the target what it should be.
func (m *merging) compare(ctx context.Context, w *writing) (differ string, err error) {
	var mu sync.Mutex
	err = inParallel(ctx, len(w.plan.disk), func(ctx context.Context, from, to int) error {
		theirs, made, ours := w.parent.lookup(), m.made.lookup(), w.target.lookup()
		for _, it := range w.plan.disk[from:to] {
			source := theirs
			if it.merged {
				source = made
			}
			same, err := w.same(ctx, source, ours, it)
			if err != nil {
				return &pathError{it.path, err}
			}
			if !same {
				mu.Lock()
				differ = it.path
				mu.Unlock()
			}
		}
		return nil
	})
	return differ, err
}

// sourceMoved gives a path at which the source is not what it was when it was looked at.
func (m *merging) sourceMoved(ctx context.Context, w *writing, begun time.Time) (string, error) {
	before := w.plan.seen
	stands, err := before.stands()
	if err != nil || !stands {
		return "the index", err
	}
	now, err := statusOf(ctx, before.command(git.StatusArgs(false)...))
	if err != nil {
		return "", err
	}
	if now.Head != m.source.Head {
		return "", worktree.Refuse("parentMoved")
	}
	if name := otherName(before.status, now); name != "" {
		return name, nil
	}
	look := w.parent.lookup()
	for name, was := range w.plan.aside {
		if s, err := look.lstat(name); err != nil || s.kind != was {
			return name, err
		}
	}
	for name, was := range m.sources {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		s, err := look.lstat(name)
		if err != nil || !stillAs(was.stat, s) {
			return name, err
		}
		if s.kind != file || s.ctime <= begun.Add(-young).UnixNano() {
			continue
		}
		if same, err := m.readsSame(ctx, w, name, was); err != nil || !same {
			return name, err
		}
	}
	return "", nil
}

// readsSame looks into a source whose times are too new to be believed.
func (m *merging) readsSame(ctx context.Context, w *writing, name string, was seen) (bool, error) {
	if it := w.plan.named[name]; it != nil && !it.merged {
		same, err := equalBytes(ctx, w.parent, w.target, name, was.size)
		return err == nil && (same || !w.untouched(name)), notThere(err) // touched: the target's doing
	}
	if !was.read {
		return true, nil // git sees what it saw before, and that is all that was used
	}
	f, err := w.parent.open(name)
	if err != nil {
		return false, notThere(err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return false, err
	}
	return bytes.Equal(sum.Sum(nil), was.sum[:]), nil
}

// notThere is err, unless it says that a path is not there (any more).
func notThere(err error) error {
	if isAbsent(err) || isLoop(err) {
		return nil
	}
	return err
}

// targetMoved gives a path at which the target is not what it was when it was looked at. With a step, after the writing:
// its own paths are compared elsewhere, and what stood there must be what was put aside.
func (m *merging) targetMoved(ctx context.Context, w *writing, step *CarryStep) (string, error) {
	head, err := worktree.ReadHead(ctx, m.target)
	if err != nil || head != m.target.Head {
		return "HEAD", err
	}
	if step == nil {
		if same, err := m.index.is(m.target); err != nil || !same {
			return "the index", err
		}
	}
	now, err := m.statTarget(ctx, w.target)
	if err != nil {
		return "", err
	}
	before := map[string]stat{}
	for i, was := range m.stats {
		name := m.index.Entries[i].Path
		before[name] = was
		if (step == nil || w.plan.named[name] == nil) && !now[i].same(was) {
			return name, nil
		}
	}
	if step == nil {
		return "", nil
	}
	for _, p := range step.Paths {
		if p.Aside == "" {
			continue
		}
		name := string(p.Path)
		s, err := asideStat(filepath.Join(w.aside, p.Aside))
		if err != nil {
			return name, err
		}
		was := before[name]
		if s.kind != was.kind || s.size != was.size || s.kind == file && s.mtime != was.mtime {
			return name, nil
		}
	}
	return "", nil
}

func asideStat(full string) (stat, error) {
	t, err := openTree(filepath.Dir(full))
	if err != nil {
		return stat{}, err
	}
	defer t.close()
	return t.at(filepath.Base(full))
}

// proveEntries compares the target's whole index with what it was and what the plan changes in it.
func (m *merging) proveEntries(ctx context.Context, w *writing) error {
	now, err := readIndex(ctx, m.target)
	if err != nil {
		return err
	}
	want := map[string]git.Entry{}
	for _, e := range m.index.Entries {
		want[e.Path] = e
	}
	if !w.plan.opts.Unstage {
		for name, e := range w.plan.index.entries {
			if !e.staged() {
				continue
			}
			if e.mode == 0 {
				delete(want, name)
				continue
			}
			want[name] = git.Entry{Path: name, Mode: e.mode, Object: rawObjectID(e.object)}
		}
		for _, a := range w.plan.index.announce {
			want[a.path] = git.Entry{Path: a.path, Mode: a.mode, Announced: true}
		}
	}
	for _, have := range now.Entries {
		e, known := want[have.Path]
		if e.Announced && have.Empty() {
			e.Object = have.Object
		}
		if !now.KnowsTimes() || !m.index.KnowsTimes() {
			e.Announced, have.Announced = false, false // git does not tell
		}
		if !known || e != have {
			return worktree.Refuse("proofFailed", "path", have.Path)
		}
		delete(want, have.Path)
	}
	for name := range want {
		return worktree.Refuse("proofFailed", "path", name)
	}
	return nil
}

func rawObjectID(object string) string {
	raw, _ := hex.DecodeString(object) // git has said it
	return string(raw)
}
