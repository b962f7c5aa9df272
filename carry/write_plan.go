package carry

import (
	"context"
	"crypto/rand"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// underOldRules is for a plan that changes attributes: it asks for the rules that the checkout was made by, and looks at
// the tracked paths by them, before they change what git says of those.
func (w *writing) underOldRules(ctx context.Context) error {
	if w.ruled != nil {
		return nil
	}
	w.ruled = map[string]bool{}
	changed := false
	for _, it := range w.plan.disk {
		if path.Base(it.path) != ".gitattributes" {
			continue
		}
		changed = true
		if namesRule(filepath.Join(w.child.Path, filepath.FromSlash(it.path))) {
			var err error
			if w.ruled, err = ruled(ctx, git.Command{Dir: w.child.Path}, w.plan.seen.index.Entries); err != nil {
				return err
			}
			break
		}
	}
	if !changed {
		return nil
	}
	child, err := readIndex(ctx, w.child)
	if err != nil {
		return err
	}
	seen, err := w.compareTracked(ctx, child, time.Now())
	if err != nil {
		return err
	}
	w.settle(ctx, &seen, nil)
	w.takeToo(seen)
	w.onlyMore = false
	return nil
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
		if it.merged {
			todo = append(todo, it)
			w.progress.total += it.was.size
			continue
		}
		s, err := look.lstat(it.path)
		if err != nil {
			return nil, err
		}
		if w.plan.merge != nil && !stillAs(it.was, s) {
			return nil, worktree.Refuse("parentChanging", "path", it.path)
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
	step := &CarryStep{Target: w.child.Path, TargetGitDir: w.child.GitDir, Base: w.plan.base, Fresh: w.plan.fresh, Aside: w.aside}
	step.Entries = w.plan.index.staged(w.plan.opts.Unstage)
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
			text, err := w.source(it).readlink(it.path)
			if err != nil && !isAbsent(err) && !isLoop(err) { // gone meanwhile: the copy will notice
				return Step{}, err
			}
			p.Link = []byte(text)
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
	if w.plan.merge != nil {
		w.emptied = slices.DeleteFunc(w.emptied, func(dir folderMode) bool { return w.holdsMore(dir.path) })
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
// for a suffix, none that the plan itself writes there, none that is there already, and by its tag nobody else's later.
func (w *writing) tempNames(todo []*item) func(name string) string {
	planned := map[string]bool{}
	for _, it := range todo {
		if strings.HasPrefix(path.Base(it.path), ".sf-") {
			planned[it.path] = true
		}
	}
	n, tag := 0, tempPrefix+strings.ToLower(rand.Text()[:8])+"-"
	return func(name string) string {
		for {
			n++
			temp := tag + strconv.Itoa(n)
			full := path.Join(path.Dir(name), temp)
			if s, err := w.target.at(full); err == nil && s.kind == absent && !planned[full] {
				return temp
			}
		}
	}
}
