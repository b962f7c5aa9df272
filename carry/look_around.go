package carry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/pulse"
	"github.com/sidefork/sidefork/carry/worktree"
)

// surroundings is what lies in a worktree's folders and git's status does not tell: it is found by listing every
// folder that is not ignored, not a submodule and not somebody else's repository.
type surroundings struct {
	nested     []string // folders with tracked files and a `.git` of their own
	specials   []string // FIFOs, sockets, devices
	attributes []string // .gitattributes files, tracked or not
	denied     []string // folders that may not be listed
}

// exploreTracked lists the folders of tracked files, for which git's answer need not be awaited.
func exploreTracked(ctx context.Context, from worktree.Worktree, entries []git.Entry) (*explorer, error) {
	t, err := openTree(from.Path)
	if err != nil {
		return nil, err
	}
	defer t.close()
	tracked, last := map[string]bool{".": true}, "."
	for i := range entries {
		dir := path.Dir(entries[i].Path)
		if dir == last {
			continue
		}
		for last = dir; !tracked[dir]; dir = path.Dir(dir) {
			tracked[dir] = true
		}
	}
	return listAll(ctx, &explorer{tree: t, closed: submodules(entries), within: tracked})
}

// explore lists the other folders, once it is known which of them are closed, and gives what is in all of them.
func explore(ctx context.Context, r *reading) (*surroundings, error) {
	t, err := openTree(r.from.Path)
	if err != nil {
		return nil, err
	}
	defer t.close()
	closed := submodules(r.index.Entries)
	for _, list := range [][]string{r.status.Ignored, r.status.Untracked} {
		for _, name := range list {
			if folder, ok := strings.CutSuffix(name, "/"); ok {
				closed[folder] = true
			}
		}
	}
	open := func(names []string) []string {
		return slices.DeleteFunc(names, func(name string) bool { return within(closed, name) != "" })
	}
	first := r.tracked
	x, err := listBelow(ctx, &explorer{tree: t, closed: closed}, open(first.beyond))
	if err != nil {
		return nil, err
	}
	x.nested = append(x.nested, open(first.nested)...)
	x.specials = append(x.specials, open(first.specials)...)
	x.attributes = append(x.attributes, open(first.attributes)...)
	x.denied = append(x.denied, open(first.denied)...)
	x.sort()
	return &x.surroundings, nil
}

// listAll lists a whole tree.
func listAll(ctx context.Context, x *explorer) (*explorer, error) {
	return listBelow(ctx, x, []string{"."})
}

// listBelow lists all that is below some folders, a few of them at a time.
func listBelow(ctx context.Context, x *explorer, folders []string) (*explorer, error) {
	g, ctx := errgroup.WithContext(ctx)
	ctx = pulse.Context(ctx)
	g.SetLimit(4)
	if err := x.listEach(ctx, g, folders); err != nil {
		return nil, errors.Join(err, g.Wait())
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	x.sort()
	return x, nil
}

func (x *explorer) sort() {
	for _, list := range []*[]string{&x.nested, &x.specials, &x.attributes, &x.denied, &x.unknown, &x.beyond} {
		slices.Sort(*list)
	}
}

type explorer struct {
	*tree
	closed  map[string]bool
	within  map[string]bool        // folders that are listed; nil: all that are not closed
	beyond  []string               // the others
	known   func(name string) bool // of files, links and specials; nil: all are
	mu      sync.Mutex
	unknown []string
	surroundings
}

// list reads one folder, then those in it.
func (x *explorer) list(ctx context.Context, g *errgroup.Group, dir string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f, err := x.openFolder(dir)
	if isDenied(err) {
		x.note(&x.denied, dir)
		return nil
	}
	if isAbsent(err) || isLoop(err) {
		return nil // it went away meanwhile
	}
	if err != nil {
		return fmt.Errorf("carry: list %s: %w", dir, err)
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	if err != nil && !isAbsent(err) {
		return fmt.Errorf("carry: list %s: %w", dir, err)
	}
	var below []string
	for _, e := range entries {
		name := e.Name()
		if dir != "." {
			name = dir + "/" + name
		}
		if x.known != nil && e.Name() != ".git" && !e.IsDir() && !x.known(name) {
			x.note(&x.unknown, name)
		}
		switch {
		case e.Name() == ".git":
			if dir != "." {
				x.note(&x.nested, dir)
			}
		case e.Type().IsDir():
			switch {
			case x.closed[name]:
			case x.within != nil && !x.within[name]:
				x.note(&x.beyond, name)
			default:
				below = append(below, name)
			}
		case e.Type().IsRegular():
			if e.Name() == ".gitattributes" {
				x.note(&x.attributes, name)
			}
		case e.Type()&os.ModeSymlink == 0:
			x.note(&x.specials, name)
		}
	}
	return x.listEach(ctx, g, below)
}

// listEach hands folders to whoever is free, and reads them itself when nobody is.
func (x *explorer) listEach(ctx context.Context, g *errgroup.Group, folders []string) error {
	for _, name := range folders {
		if !g.TryGo(func() error { return x.list(ctx, g, name) }) {
			if err := x.list(ctx, g, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *explorer) note(list *[]string, name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	*list = append(*list, name)
}

// leave names what does not come and refuses folders that cannot be listed.
func (p *Plan) leave(look *lookup) error {
	for _, dir := range p.seen.around.denied {
		p.refuse("unreadable", "path", dir)
	}
	left, err := p.seen.left(look, p.named)
	if err != nil {
		return err
	}
	p.Left = append(p.Left, left...)
	sortLeft(&p.Left)
	return nil
}

// sortLeft orders by path and names each once.
func sortLeft(left *[]Left) {
	slices.SortStableFunc(*left, func(a, b Left) int { return strings.Compare(a.Path, b.Path) })
	*left = slices.CompactFunc(*left, func(a, b Left) bool { return a.Path == b.Path })
}

// left is everything that a worktree holds and no carry brings; coming are the paths that come, or go.
func (r *reading) left(look *lookup, coming map[string]*item) ([]Left, error) {
	var left []Left
	add := func(name, reason string) {
		left = append(left, Left{Path: strings.TrimSuffix(name, "/"), Reason: reason})
	}
	for _, name := range r.status.Untracked {
		if strings.HasSuffix(name, "/") {
			add(name, r.nestedKind(look.tree, name))
		}
	}
	holders := map[string]bool{}
	for name := range coming {
		for dir := path.Dir(name); dir != "." && !holders[dir]; dir = path.Dir(dir) {
			holders[dir] = true
		}
	}
	nested, stays := setOf(r.around.nested), map[string]bool{}
	for _, name := range slices.Concat(r.around.nested, r.around.specials) {
		if folder := within(r.ignored, name); folder != "" && (!holders[folder] || within(nested, path.Dir(name)) != "") {
			continue // the folder is named, or the repository that it lies in
		}
		reason := "specialFile"
		if nested[name] {
			reason = r.nestedKind(look.tree, name)
		}
		add(name, reason)
		stays[name] = true
	}
	for name, why := range r.staying {
		add(name, why)
	}
	for _, name := range r.status.Ignored {
		if coming[name] != nil {
			continue
		}
		if dir, ok := strings.CutSuffix(name, "/"); ok && holders[dir] && comesWhole(look.tree, dir, coming, stays) {
			continue
		}
		add(name, "ignored")
		stays[strings.TrimSuffix(name, "/")] = true
	}
	for name, it := range coming { // git's status names no ignored folder in the place of a file that it tracks
		if it.was.kind != absent {
			continue
		}
		s, err := look.lstat(name)
		if err != nil && !isDenied(err) {
			return nil, err
		}
		if s.kind == folder && look.holds(name) && !comesWhole(look.tree, name, coming, stays) {
			add(name, "ignored")
		}
	}
	return left, nil
}

// comesWhole says that each file of an ignored folder is one that comes (it was asked for, or `git rm -r --cached` and
// ignored then), or stays and is named on its own. It ends at the first one that is neither.
func comesWhole(t *tree, dir string, coming map[string]*item, stays map[string]bool) bool {
	f, err := t.openFolder(dir)
	if err != nil {
		return false
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	for _, e := range entries {
		name := dir + "/" + e.Name()
		switch {
		case stays[name]:
		case e.IsDir() && !comesWhole(t, name, coming, stays), !e.IsDir() && coming[name] == nil:
			return false
		}
	}
	return err == nil
}

// nestedKind tells a worktree of this repository from somebody else's repository by where its `.git` file points.
func (r *reading) nestedKind(t *tree, name string) string {
	f, err := t.open(path.Join(name, ".git")) // a regular file only: anything may lie there
	if err != nil {
		return "nestedRepository"
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, 8<<10))
	if target, ok := strings.CutPrefix(strings.TrimSpace(string(content)), "gitdir: "); ok && err == nil {
		if strings.HasPrefix(filepath.Clean(target), filepath.Join(r.from.CommonDir, "worktrees")+string(filepath.Separator)) {
			return "worktree"
		}
	}
	return "nestedRepository"
}

func isEmptyFolder(t *tree, name string) bool {
	f, err := t.openFolder(name)
	if err != nil {
		return isAbsent(err) || isLoop(err) // nothing of a submodule is there
	}
	defer f.Close()
	_, err = f.ReadDir(1)
	return errors.Is(err, io.EOF)
}
