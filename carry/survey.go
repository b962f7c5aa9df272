package carry

import (
	"context"
	"errors"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// Counts are a worktree's uncommitted changes, each path once: one that is staged and edited again is modified once.
type Counts struct {
	Modified   int // tracked paths that are not as the last commit has them, deleted ones too
	New        int // untracked files, also those that were tracked until the last commit
	Staged     int // index entries that are not as the last commit has them
	Conflicted int // unmerged paths
	Bytes      int64
	Left       []Left   // what a carry would leave where it is
	Busy       *Refusal // git is in the middle of something in a submodule
}

// Survey counts what Look would look at, also in submodules, and costs little more than one `git status` for each of
// them: it opens no file. Like Look it writes nothing, not even the index's file times.
func Survey(ctx context.Context, from worktree.Worktree) (Counts, error) {
	return survey(ctx, from, 0)
}

func survey(ctx context.Context, from worktree.Worktree, depth int) (Counts, error) {
	r, err := read(ctx, from, false)
	if err != nil {
		return Counts{}, err
	}
	defer r.close()
	t, err := openTree(from.Path)
	if err != nil {
		return Counts{}, err
	}
	defer t.close()
	look := t.lookup()
	n := Counts{Conflicted: len(r.status.Unmerged)}
	coming := map[string]*item{}
	weigh := func(name string) (stat, error) {
		s, err := look.lstat(name)
		if isDenied(err) {
			return stat{kind: file}, nil // a carry would refuse it; counting it does no harm
		}
		if s.kind == file {
			n.Bytes += s.size
		}
		coming[name] = &item{path: name}
		return s, err
	}
	for _, c := range r.status.Changed {
		announced := c.IntentToAdd() || r.gone[c.Path]
		if c.Staged != '.' || announced {
			n.Staged++
		}
		s, err := weigh(c.Path)
		if err != nil {
			return Counts{}, err
		}
		switch { // as Plan.changed has it
		case s.kind == file || s.kind == link:
			if c.ModeIndex == 0 && !announced {
				n.New++ // `git rm --cached`, and kept on disk
			} else {
				n.Modified++
			}
		case s.kind == absent && c.ModeHead != 0 && !r.gone[c.Path], s.kind == folder && c.ModeHead != 0 && c.ModeHead != git.ModeSubmodule:
			n.Modified++
		}
	}
	for _, name := range r.status.Untracked {
		if coming[name] != nil || name[len(name)-1] == '/' {
			continue
		}
		n.New++
		if _, err := weigh(name); err != nil {
			return Counts{}, err
		}
	}
	inner, err := r.surveySubmodules(ctx, look, depth)
	if err != nil {
		return Counts{}, err
	}
	n.Left, err = r.left(look, coming)
	n.add(inner)
	sortLeft(&n.Left)
	return n, err
}

// surveySubmodules counts what is in those that would come. One that git cannot read stays.
func (r *reading) surveySubmodules(ctx context.Context, look *lookup, depth int) (all Counts, err error) {
	found, err := r.submodules(ctx, look, depth)
	if err != nil {
		return all, err
	}
	for _, s := range found {
		n, err := survey(ctx, s.from, depth+1)
		if _, broken := errors.AsType[*git.Error](err); broken && ctx.Err() == nil {
			r.stay(s.path, leftSubmodule)
			continue
		}
		if err != nil {
			return all, err
		}
		if n.Busy == nil {
			n.Busy = s.busy()
		}
		if n.Busy != nil {
			n.Busy = in(s.path, n.Busy)
		}
		for i, l := range n.Left {
			n.Left[i].Path = s.path + "/" + l.Path
		}
		all.add(n)
	}
	return all, nil
}

func (n *Counts) add(m Counts) {
	n.Modified += m.Modified
	n.New += m.New
	n.Staged += m.Staged
	n.Conflicted += m.Conflicted
	n.Bytes += m.Bytes
	n.Left = append(n.Left, m.Left...)
	if n.Busy == nil {
		n.Busy = m.Busy
	}
}
