package carry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidefork/sidefork/carry/pulse"
	"github.com/sidefork/sidefork/carry/worktree"
)

// recorder keeps what is about to be written, so that it can be taken back (Operation).
type recorder interface {
	Will(step Step) error
}

// Result is what was carried and proved.
type Result struct {
	Numbers
	Left   []Left
	Merged bool // into a target at another commit: proved to be what the merge has made, not equal to the source
}

// writing is one Into at work.
type writing struct {
	plan           *Plan
	before         *indexPlan // of the plan that an earlier round wrote, nil in the first
	child          worktree.Worktree
	parent, target *tree
	recorder       recorder
	byteCopier
	aside  string // folder for what is in the way, "" for a fresh child
	asides int    // names given in it so far
	saved  bool   // and it is there, with the index in it

	ruled   map[string]bool // by the base's own attributes, where the plan changes those; nil until asked
	emptied []folderMode    // folders that go because the parent has none there, innermost first

	onlyMore bool // the last proof found paths that are to be brought too, and nothing else

	mu       sync.Mutex
	taken    map[string]stat // each source as it was when its copy was made
	compared map[string]stat // and each that was found to be equal without a copy
	written  map[string]stat // each copy as it was when it was made
	restless map[string]bool // sources that changed while they were copied
	made     map[string]stat // folders that were made here, as they are in the parent
}

// rounds is how often the entries that moved under our hands are taken again before the carry is given up.
const rounds = 5

// Into writes the plan into a workspace at the same commit and proves that it arrived. It says so by a Result, and only
// then; after any error the caller rolls the operation back. moved is told how many bytes of how many are written.
func (p *Plan) Into(ctx context.Context, child worktree.Worktree, o recorder, moved func(done, total int64)) (*Result, error) {
	if no := p.Refused(); no != nil {
		return nil, no
	}
	ctx = pulse.Context(ctx)
	before := p.tell(moved)
	if err := p.level(ctx, child, o, before(0)); err != nil {
		return nil, err
	}
	if err := p.intoSubmodules(ctx, child, o, before); err != nil {
		return nil, err
	}
	return &Result{p.Numbers, p.Left, p.merge != nil}, nil
}

// level is Into without the submodules.
func (p *Plan) level(ctx context.Context, child worktree.Worktree, o recorder, moved func(done, total int64)) error {
	w, err := p.begin(child, o, moved)
	if err != nil {
		return err
	}
	defer w.close()
	if p.merge != nil {
		return p.merge.into(ctx, w)
	}
	var last string
	for range rounds {
		if err := w.writeAll(ctx); err != nil {
			return w.failed(ctx, err)
		}
		if p.between != nil {
			p.between(child.Path)
		}
		last, err = w.prove(ctx)
		if err != nil {
			return w.failed(ctx, err)
		}
		if last == "" {
			return nil
		}
		if w.onlyMore { // the parent stood still: nothing but more of it is to be brought
			w.onlyMore = false
			continue
		}
		select { // rounds within one tick of the clock would all see the same young file
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(tick):
		}
		if err := w.lookAgain(ctx); err != nil {
			return err
		}
	}
	return worktree.Refuse("parentChanging", "path", last)
}

func (p *Plan) begin(child worktree.Worktree, o recorder, moved func(done, total int64)) (*writing, error) {
	parent, err := openTree(p.from.Path)
	if err != nil {
		return nil, err
	}
	target, err := openTree(child.Path)
	if err != nil {
		parent.close()
		return nil, err
	}
	w := &writing{
		plan: p, child: child, parent: parent, target: target, recorder: o, byteCopier: byteCopier{progress: progress{tell: moved}},
		taken: map[string]stat{}, compared: map[string]stat{}, written: map[string]stat{}, restless: map[string]bool{}, made: map[string]stat{},
	}
	if !p.fresh {
		w.aside = asideFor(child)
	}
	return w, nil
}

func (w *writing) close() {
	w.parent.close()
	w.target.close()
}

// lookAgain reads the parent anew. What an earlier round wrote and the new plan does not name has become what the base
// has, or has gone: it is taken again as it is, and the new plan decides about everything else.
func (w *writing) lookAgain(ctx context.Context) error {
	old := w.plan
	next, err := Look(ctx, old.from, old.base, old.opts)
	if err != nil {
		return err
	}
	if no := next.Refused(); no != nil {
		next.Close()
		return no
	}
	for _, it := range old.disk {
		if next.named[it.path] == nil {
			again := &item{path: it.path, inBase: it.inBase}
			next.disk, next.named[it.path] = append(next.disk, again), again
		}
	}
	slices.SortFunc(next.disk, func(a, b *item) int { return strings.Compare(a.path, b.path) })
	next.fresh, next.Argv, next.targets = old.fresh, old.Argv, old.targets
	if !next.fresh { // what the target's submodules are has not changed by what was written outside of them
		if err := next.meetSubmodules(ctx, next.detach(), next.targets); err != nil {
			next.Close()
			return err
		}
		if no := next.Refused(); no != nil {
			next.Close()
			return no
		}
	}
	next.between, next.compared, next.share = old.between, old.compared, old.share
	index := old.index
	old.Close()
	*old = *next
	w.before = &index
	return nil
}

// writeAll brings the disk to the plan, then the index.
func (w *writing) writeAll(ctx context.Context) error {
	if err := w.writeDisk(ctx); err != nil {
		return err
	}
	if w.plan.share != nil {
		if err := w.plan.share(); err != nil {
			return err
		}
	}
	return w.writeIndex(ctx)
}

func (w *writing) writeDisk(ctx context.Context) error {
	clear(w.compared)
	if err := w.underOldRules(ctx); err != nil {
		return err
	}
	todo, err := w.todo(ctx)
	if err != nil {
		return err
	}
	step, err := w.record(todo)
	if err != nil {
		return err
	}
	if err := w.recorder.Will(step); err != nil {
		return fmt.Errorf("carry: record what will be written: %w", err)
	}
	if err := w.makeAside(); err != nil {
		return err
	}
	written := step.Carry.Paths[:len(todo)]
	if err := w.clear(todo, written); err != nil {
		return err
	}
	if err := w.makeFolders(todo); err != nil {
		return err
	}
	if err := w.copyAll(ctx, todo, written); err != nil {
		return err
	}
	return w.closeFolders()
}

// failed turns an error of the system into a reason that a person can do something about.
func (w *writing) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, refused := errors.AsType[*Refusal](err); refused {
		return err
	}
	at := "."
	if e, ok := errors.AsType[*pathError](err); ok {
		at = e.path
	}
	code := "carryFailed"
	switch {
	case isNoSpace(err):
		code = "noSpace"
	case isDenied(err) && errors.Is(err, errSource):
		code = "unreadable"
	}
	no := worktree.Refuse(code, "path", at)
	no.Detail = err.Error()
	return no
}

// pathError says at which path of the plan the writing failed.
type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string { return fmt.Sprintf("carry: copy %s: %v", e.path, e.err) }
func (e *pathError) Unwrap() error { return e.err }

var errSource = errors.New("the source cannot be read")

// progress counts bytes for whoever waits.
type progress struct {
	mu          sync.Mutex
	done, total int64
	tell        func(done, total int64)
}

func (p *progress) add(n int64) {
	if p.tell == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.total = max(p.total, p.done)
	p.tell(p.done, p.total)
}

func (w *writing) note(in map[string]stat, name string, s stat) {
	w.mu.Lock()
	defer w.mu.Unlock()
	in[name] = s
}

func (w *writing) unsettled(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.restless[name] = true
}
