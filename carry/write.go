package carry

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// recorder keeps what is about to be written, so that it can be taken back (Operation).
type recorder interface {
	Will(step Step) error
}

// Result is what was carried and proved.
type Result struct {
	Numbers
	Left []Left
}

// writing is one Into at work.
type writing struct {
	plan           *Plan
	before         *indexPlan // of the plan that an earlier round wrote, nil in the first
	child          worktree.Worktree
	parent, target *tree
	recorder       recorder
	progress       progress
	cloneless      atomic.Bool // the file system has said that it cannot share blocks
	aside          string      // folder for what is in the way, "" for a fresh child
	asides         int         // names given in it so far

	ruled   map[string]bool // by the base's own attributes, where the plan changes those; nil until asked
	emptied []folderMode    // folders that go because the parent has none there, innermost first

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
	w, err := p.begin(child, o, moved)
	if err != nil {
		return nil, err
	}
	defer w.close()
	var last string
	for range rounds {
		if err := w.writeAll(ctx); err != nil {
			return nil, w.failed(ctx, err)
		}
		if p.between != nil {
			p.between(child.Path)
		}
		last, err = w.prove(ctx)
		if err != nil {
			return nil, w.failed(ctx, err)
		}
		if last == "" {
			return &Result{p.Numbers, p.Left}, nil
		}
		if err := w.lookAgain(ctx); err != nil {
			return nil, err
		}
	}
	return nil, worktree.Refuse("parentChanging", "path", last)
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
		plan: p, child: child, parent: parent, target: target, recorder: o, progress: progress{tell: moved},
		taken: map[string]stat{}, compared: map[string]stat{}, written: map[string]stat{}, restless: map[string]bool{}, made: map[string]stat{},
	}
	if !p.fresh {
		if w.aside, err = makeAside(child); err != nil {
			w.close()
			return nil, err
		}
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
	next.fresh, next.Argv = old.fresh, old.Argv
	next.between, next.compared = old.between, old.compared
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
	return w.writeIndex(ctx)
}

func (w *writing) writeDisk(ctx context.Context) error {
	if err := w.addUnlike(ctx); err != nil {
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

// addUnlike finds the tracked paths that git calls clean and that are not as a fresh checkout made them: another size
// or type, other bytes where a rule stands between blob and disk, or not there on one side (skip-worktree).
func (w *writing) addUnlike(ctx context.Context) error {
	r := w.plan.seen
	clear(w.compared)
	if err := w.findRules(ctx); err != nil {
		return err
	}
	var mu sync.Mutex
	err := inParallel(ctx, len(r.entries), func(ctx context.Context, from, to int) error {
		ours, theirs := w.parent.lookup(), w.target.lookup()
		for _, e := range r.entries[from:to] {
			if _, named := w.plan.index.entries[e.Path]; named || w.plan.named[e.Path] != nil || e.Mode == git.ModeSubmodule {
				continue
			}
			a, err := ours.lstat(e.Path)
			if err != nil {
				return err
			}
			b, err := theirs.lstat(e.Path)
			if err != nil {
				return err
			}
			same, err := w.alike(ctx, e.Path, a, b)
			if err != nil {
				return err
			}
			if !same {
				mu.Lock()
				w.plan.disk = append(w.plan.disk, &item{path: e.Path, was: a, inBase: true})
				mu.Unlock()
			}
		}
		return nil
	})
	for _, it := range w.plan.disk {
		w.plan.named[it.path] = it
	}
	return err
}

// findRules asks for the rules that a fresh checkout was made by, where the parent has changed its attributes since.
func (w *writing) findRules(ctx context.Context) error {
	if w.ruled != nil {
		return nil
	}
	w.ruled = map[string]bool{}
	for _, it := range w.plan.disk {
		if path.Base(it.path) == ".gitattributes" && namesRule(filepath.Join(w.child.Path, filepath.FromSlash(it.path))) {
			var err error
			w.ruled, err = ruled(ctx, git.Command{Dir: w.child.Path}, w.plan.seen.entries)
			return err
		}
	}
	return nil
}

func (w *writing) alike(ctx context.Context, name string, a, b stat) (bool, error) {
	if a.kind != b.kind || a.kind == file && a.size != b.size {
		return a.kind == folder || a.kind == special, nil // what such a path is cannot be brought
	}
	if !w.plan.seen.ruled[name] && !w.ruled[name] {
		return true, nil
	}
	same, err := equal(ctx, w.parent, w.target, name, a, b)
	if same {
		w.note(w.compared, name, a)
	}
	return same, err
}

// todo looks at each source once more, and drops those that are taken already and stood still since.
func (w *writing) todo(ctx context.Context) ([]*item, error) {
	look := w.parent.lookup()
	var todo []*item
	w.progress.total = w.progress.done
	for _, it := range w.plan.disk {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s, err := look.lstat(it.path)
		if err != nil {
			return nil, err
		}
		it.was = s
		_, copied := w.taken[it.path]
		if s.kind != file && s.kind != link {
			delete(w.taken, it.path)
		}
		if s.kind == special { // it became one after the look, which leaves such a thing where it is
			if it.inBase && copied {
				return nil, worktree.Refuse("parentChanging", "path", it.path) // the base's file would have to come back
			}
			if it.inBase {
				continue
			}
			it.was = stat{}
		}
		if before, done := w.taken[it.path]; done && before.same(s) && !w.restless[it.path] {
			continue
		}
		todo = append(todo, it)
		if s.kind == file {
			w.progress.total += s.size
		}
	}
	clear(w.restless)
	return todo, nil
}

// record says what each path will be, before it is.
func (w *writing) record(todo []*item) (Step, error) {
	step := &CarryStep{Target: w.child.Path, TargetGitDir: w.child.GitDir, Fresh: w.plan.fresh, Aside: w.aside}
	look, theirs := w.parent.lookup(), w.target.lookup()
	temps := w.tempNames(todo)
	for _, it := range todo {
		p := WrittenPath{Path: []byte(it.path)}
		there, err := theirs.lstat(it.path)
		if err != nil {
			return Step{}, err
		}
		switch it.was.kind {
		case file:
			p.Kind, p.Size, p.MTime, p.Temp = "file", it.was.size, it.was.mtime, temps(it.path)
		case link:
			p.Kind, p.Temp = "link", temps(it.path)
		case folder:
			if !w.wantsFolder(it) {
				p.Kind = "removed"
			} else {
				p.Kind = "dir"
			}
		default:
			p.Kind = "removed"
		}
		if w.aside != "" && (there.kind == file || there.kind == link) {
			w.asides++
			p.Aside = strconv.Itoa(w.asides)
		}
		step.Paths = append(step.Paths, p)
	}
	folders, err := w.foldersOf(todo, look, theirs)
	if err != nil {
		return Step{}, err
	}
	for _, dir := range folders {
		step.Paths = append(step.Paths, WrittenPath{Path: []byte(dir), Kind: "dir"})
	}
	if w.emptied, err = foldersToGo(todo, look, theirs); err != nil {
		return Step{}, err
	}
	for _, dir := range w.emptied {
		step.Paths = append(step.Paths, WrittenPath{Path: []byte(dir.path), Kind: "removed", Mode: dir.mode})
	}
	for name, e := range w.plan.index.entries {
		if e.staged() && w.plan.named[name] == nil {
			step.Paths = append(step.Paths, WrittenPath{Path: []byte(name), Kind: "index"})
		}
	}
	return Step{Carry: step}, nil
}

// wantsFolder: the only folder that a plan names is a submodule's empty one.
func (w *writing) wantsFolder(it *item) bool {
	return it.was.kind == folder && w.plan.index.entries[it.path].mode == git.ModeSubmodule
}

// tempNames gives each path a temporary name of its own in its folder: short, since a name of 255 bytes leaves no room
// for a suffix, none that the plan itself writes there, and none that is there already.
func (w *writing) tempNames(todo []*item) func(name string) string {
	planned := map[string]bool{}
	for _, it := range todo {
		if strings.HasPrefix(path.Base(it.path), ".sf-") {
			planned[it.path] = true
		}
	}
	n := 0
	return func(name string) string {
		for {
			n++
			temp := ".sf-" + strconv.Itoa(n)
			full := path.Join(path.Dir(name), temp)
			if s, err := w.target.at(full); err == nil && s.kind == absent && !planned[full] {
				return temp
			}
		}
	}
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
