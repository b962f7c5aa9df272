package carry

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// A submodule that is checked out in the parent is checked out in the child too, at the same commit and on the same
// branch, and its changes come by the same algorithm, one level at a time.
//
// The child gets a store of its own, where git itself puts one for a linked worktree: <child's git folder>/modules/NAME.
// It is a copy of the parent's store whose objects are linked, and nothing in the parent's is written. It is no linked
// worktree of the parent's store, because a store's core.worktree is shared by those: one `git submodule update` in the
// child would set it to the child's folder, and git would not find the parent's submodule any more (docs/decisions/0008).

// deepest is how many levels of submodules are looked into; what is nested deeper is left.
const deepest = 8

// submodule is one that is checked out in the parent and comes.
type submodule struct {
	path  string            // from the top level of the worktree that it is in
	from  worktree.Worktree // as it is checked out there; GitDir and CommonDir differ where it is a linked worktree itself
	store string            // its name below <git folder>/modules, slashes
	head  string            // what its HEAD file says: "ref: refs/heads/NAME", or an object id
	plan  *Plan
	to    *worktree.Worktree // that of an existing target; nil: it is made
}

// Why a submodule is left (Left.Reason).
const (
	leftSubmodule = "submodule"          // nothing that could be copied: no store, a broken one, nested too deep; not at the same commit in an existing target
	leftElsewhere = "submoduleElsewhere" // its git folder is not one of this repository's own
	leftConfig    = "submoduleConfig"    // its configuration would run programs or read other files
)

// inside looks into the submodules of the plan's worktree: what comes is added to the plan's numbers and files, what
// would be refused in them is refused here. It costs nothing where there is none.
func (p *Plan) inside(ctx context.Context, look *lookup) error {
	found, err := p.seen.submodules(ctx, look, p.opts.depth)
	if err != nil {
		return err
	}
	opts := p.opts
	opts.depth++
	opts.Include, opts.IncludeFile = nil, false // the patterns are the outer worktree's
	// All levels are counted together, by the outermost.
	opts.Limits = Limits{Files: math.MaxInt, Bytes: math.MaxInt64, IncludedFiles: math.MaxInt, IncludedBytes: math.MaxInt64}
	// A look goes on asking after it has come back: it needs a context that lives on.
	var g errgroup.Group
	g.SetLimit(4)
	for _, s := range found {
		if p.opts.Paths != nil { // a choice is of this level's changes
			p.seen.stay(s.path, leftNotChosen)
			continue
		}
		if p.opts.Unstage && !p.inBase(s.path) {
			continue // git would take it for somebody else's repository in the child
		}
		g.Go(func() (err error) {
			s.plan, err = Look(ctx, s.from, s.from.Head, opts)
			if _, broken := errors.AsType[*git.Error](err); broken && ctx.Err() == nil {
				err = nil
			}
			return err
		})
	}
	err = g.Wait()
	for _, s := range found {
		if s.plan == nil {
			if p.opts.Paths == nil {
				p.seen.stay(s.path, leftSubmodule)
			}
			continue
		}
		if no := s.busy(); no != nil {
			s.plan.Refusals = []*Refusal{no} // what it has left unmerged is the same mistake
		}
		p.subs = append(p.subs, s)
		p.add(s)
	}
	return err
}

// busy refuses a submodule in which git is in the middle of something.
func (s *submodule) busy() *Refusal {
	if no := s.from.Eligible(); no != nil && no.Code == "operationInProgress" {
		return no
	}
	return nil
}

// inBase says whether the base has the submodule at this path: git's status names every path that it has and the index
// does not have alike.
func (p *Plan) inBase(name string) bool {
	at := slices.IndexFunc(p.seen.status.Changed, func(c git.Change) bool { return c.Path == name })
	return at < 0 || p.seen.status.Changed[at].ModeHead == git.ModeSubmodule
}

// add counts what comes in a submodule.
func (p *Plan) add(s *submodule) {
	p.Numbers = p.plus(s.plan.Numbers)
	for _, f := range s.plan.Files {
		f.Path = s.path + "/" + f.Path
		p.Files = append(p.Files, f)
	}
	for _, l := range s.plan.Left {
		p.Left = append(p.Left, Left{Path: s.path + "/" + l.Path, Reason: l.Reason})
	}
	for _, no := range s.plan.Refusals {
		p.Refusals = append(p.Refusals, in(s.path, no))
	}
}

// proveObjects sees that the child's store has what its index names: it is not the parent's.
func (s *submodule) proveObjects(ctx context.Context, inner worktree.Worktree) error {
	lacking, err := git.Lacking(ctx, inner.Path, s.staged())
	if err == nil && len(lacking) > 0 {
		err = worktree.Refuse("proofFailed", "path", s.path+" ("+lacking[0]+")")
	}
	return err
}

// staged are the objects that the plan's entries name, and the commit has not.
func (s *submodule) staged() (objects []string) {
	for _, e := range s.plan.index.entries {
		if e.staged() && e.mode != 0 && e.mode != git.ModeSubmodule && !s.plan.opts.Unstage {
			objects = append(objects, e.object)
		}
	}
	return objects
}

// ownBytes are the bytes of the plan's own level.
func (p *Plan) ownBytes() int64 {
	own := p.Bytes
	for _, s := range p.subs {
		own -= s.plan.Bytes
	}
	return own
}

// tell gives, for a level before which so many bytes are written, what is told of its own progress: how many bytes of how
// many of all levels.
func (p *Plan) tell(moved func(done, total int64)) func(before int64) func(done, total int64) {
	all := p.Bytes
	return func(before int64) func(done, total int64) {
		if moved == nil {
			return nil
		}
		return func(done, total int64) { moved(before+done, max(all, before+total)) }
	}
}

func byPath(a, b File) int { return strings.Compare(a.Path, b.Path) }

// remove takes out of the plan what add has counted.
func (p *Plan) remove(s *submodule) {
	below := s.path + "/"
	n := s.plan.Numbers
	p.Numbers = p.plus(Numbers{-n.Tracked, -n.Untracked, -n.Included, -n.Deleted, -n.Staged, -n.Bytes})
	p.Files = slices.DeleteFunc(p.Files, func(f File) bool { return strings.HasPrefix(f.Path, below) })
	p.Left = slices.DeleteFunc(p.Left, func(l Left) bool { return strings.HasPrefix(l.Path, below) })
}

func (n Numbers) plus(m Numbers) Numbers {
	return Numbers{
		Tracked: n.Tracked + m.Tracked, Untracked: n.Untracked + m.Untracked, Included: n.Included + m.Included,
		Deleted: n.Deleted + m.Deleted, Staged: n.Staged + m.Staged, Bytes: n.Bytes + m.Bytes,
	}
}

// in is a refusal that speaks of the submodule at a path.
func in(top string, no *Refusal) *Refusal {
	said := &Refusal{Code: no.Code, Args: map[string]string{}, Detail: no.Detail}
	for name, value := range no.Args {
		switch name {
		case "path", "link":
			if !filepath.IsAbs(value) {
				value = top + "/" + value
			}
		case "paths":
			value = top + "/" + strings.ReplaceAll(value, ", ", ", "+top+"/")
		case "operation", "what":
			value += " (in the submodule " + top + ")"
		}
		said.Args[name] = value
	}
	return said
}

// place is where the submodule's changes go: into one that the target has, or one that is made.
func (s *submodule) place(ctx context.Context, child worktree.Worktree, o recorder) (worktree.Worktree, error) {
	if s.to == nil {
		return s.make(ctx, child, o)
	}
	s.plan.share = func() error { return s.lend(ctx) }
	head, err := worktree.ReadHead(ctx, *s.to)
	if err == nil && head != s.from.Head {
		err = worktree.Refuse("targetMoved", "path", s.path)
	}
	return *s.to, err
}

// intoSubmodules makes each submodule in the child, or takes the target's, and carries into it. The plan's own level has been proved; that the
// parent's has not moved meanwhile is seen by its HEAD and its index entries: each level is proved at a moment of its own.
func (p *Plan) intoSubmodules(ctx context.Context, child worktree.Worktree, o recorder, before func(done int64) func(done, total int64)) error {
	written := p.ownBytes()
	for _, s := range p.subs {
		inner, err := s.place(ctx, child, o)
		if err != nil {
			return err
		}
		p.remove(s)
		_, err = s.plan.Into(ctx, inner, o, before(written))
		written += s.plan.Bytes
		if no, refused := errors.AsType[*Refusal](err); refused {
			return in(s.path, no)
		}
		if err == nil {
			err = s.proveObjects(ctx, inner)
		}
		if err != nil {
			return err
		}
		p.add(s)
	}
	if len(p.subs) == 0 {
		return nil
	}
	slices.SortFunc(p.Files, byPath)
	sortLeft(&p.Left)
	head, err := worktree.ReadHead(ctx, p.from)
	if err != nil {
		return err
	}
	if head != p.seen.status.Head {
		return worktree.Refuse("parentMoved")
	}
	now, err := readIndex(ctx, p.from)
	if err != nil {
		return err
	}
	if !slices.Equal(now.Entries, p.seen.index.Entries) { // one that a status has only refreshed says the same
		return worktree.Refuse("parentChanging", "path", "the index")
	}
	return nil
}
