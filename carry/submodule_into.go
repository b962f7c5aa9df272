package carry

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/pulse"
	"github.com/sidefork/sidefork/carry/worktree"
)

// A target that exists has submodules of its own, or has not. Where one is checked out on both sides at the same commit, its
// changes come by the same algorithm as any other carry at one commit, whatever the outer commits are. Everything else is
// left, by name: nothing is checked out, moved to another commit or merged in a submodule.

// checkedOutIn finds a target's own submodules, by path, for those that are to be met. One whose store is not in the
// target's git folder is not written to.
func (r *reading) checkedOutIn(ctx context.Context, t *tree, depth int) (map[string]worktree.Worktree, error) {
	found, err := r.submodules(ctx, t.lookup(), depth)
	if err != nil {
		return nil, err
	}
	targets := map[string]worktree.Worktree{}
	for _, s := range found {
		if isBelow(r.from.CommonDir, s.from.GitDir) {
			targets[s.path] = s.from
		}
	}
	return targets, nil
}

// detach takes the submodules out of the plan.
func (p *Plan) detach() []*submodule {
	subs := p.subs
	for _, s := range subs {
		p.remove(s)
	}
	p.subs = nil
	return subs
}

// meetSubmodules puts those back that the target has checked out at the same commit, with the refusals that come of it; the
// others are left.
func (p *Plan) meetSubmodules(ctx context.Context, subs []*submodule, targets map[string]worktree.Worktree) error {
	for i, s := range subs {
		to, there := targets[s.path]
		if !there || to.Head != s.from.Head || p.Refused() != nil {
			s.plan.Close()
			p.left(s.path, leftSubmodule)
			p.seen.stay(s.path, leftSubmodule)
			continue
		}
		s.to = &to
		p.subs = append(p.subs, s)
		said := len(s.plan.Refusals)
		if err := s.plan.against(ctx, to); err != nil {
			p.subs = append(p.subs, subs[i+1:]...) // they are closed with the plan
			return err
		}
		no := s.plan.Refusals
		s.plan.Refusals = no[said:] // the others were said before
		p.add(s)
		s.plan.Refusals = no
	}
	sortLeft(&p.Left)
	slices.SortFunc(p.Files, byPath)
	return nil
}

// lend gives the target's store the objects that are staged in the source's, and nothing else of it.
func (s *submodule) lend(ctx context.Context) error {
	if s.from.CommonDir == s.to.CommonDir {
		return nil
	}
	lacking, err := git.Lacking(ctx, s.to.Path, s.staged())
	if err != nil {
		return err
	}
	for _, object := range lacking {
		pulse.Beat(ctx)
		loose := filepath.Join("objects", object[:2], object[2:])
		from, to := filepath.Join(s.from.CommonDir, loose), filepath.Join(s.to.CommonDir, loose)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if copyFile(from, to) == nil {
			continue
		}
		content, err := git.Command{Dir: s.from.Path}.Blob(ctx, object) // it is in a pack
		if err != nil {
			return err
		}
		if _, err := (git.Command{Dir: s.to.Path}).WriteBlob(ctx, content); err != nil {
			return err
		}
	}
	return nil
}
