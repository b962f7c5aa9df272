package carry

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// A workspace whose folder is gone already is removed from git's own folder alone, and no other one with it. What is left
// of its work there are its index and the stores of its submodules.

// lookAtEntry looks at what git's folder of a workspace that is gone still has of it.
func (r *Removal) lookAtEntry(ctx context.Context, _ []worktree.Worktree) error {
	staged, err := r.indexOfEntry(ctx, func(at git.Command) (err error) {
		r.staged, err = at.StagedPaths(ctx, r.from.Head)
		return err
	})
	if err != nil {
		return err
	}
	if staged && len(r.staged) > 0 {
		no := worktree.Refuse("uncommitted", "paths", few(r.staged))
		no.Detail = strings.Join(r.staged[:min(len(r.staged), 100)], "\n")
		r.Add(no)
	}
	if stores, _ := os.ReadDir(filepath.Join(r.from.GitDir, "modules")); len(stores) > 0 {
		var names []string
		for _, s := range stores {
			names = append(names, s.Name())
		}
		r.refuse("submoduleUnknown", "paths", few(names))
	}
	return nil
}

// indexOfEntry lets git read a copy of the workspace's index; false where it has none.
func (r *Removal) indexOfEntry(ctx context.Context, ask func(at git.Command) error) (bool, error) {
	text, err := os.ReadFile(filepath.Join(r.from.GitDir, "index"))
	if isAbsent(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	private, err := newPrivateFolder()
	if err != nil {
		return false, err
	}
	defer private.remove()
	index := filepath.Join(private.path, "index")
	if err := os.WriteFile(index, text, 0o600); err != nil {
		return false, err
	}
	return true, ask(git.Bare(r.from.CommonDir, "", index))
}

// saveEntry is save for a workspace that is gone: what was staged, in the shape of a stash, else commits that nothing else
// has.
func (r *Removal) saveEntry(ctx context.Context, refs string) ([]Saved, error) {
	s := Saved{Ref: refs + "/work", Head: r.from.Head, Stash: len(r.staged) > 0}
	if !s.Stash && !r.only {
		return nil, nil
	}
	oid := r.from.Head
	if s.Stash {
		_, err := r.indexOfEntry(ctx, func(at git.Command) error {
			message := "sidefork: removed " + r.from.Path
			tree, err := at.StoreTree(ctx, "")
			if err != nil {
				return err
			}
			index, err := at.StoreCommit(ctx, tree, "index of "+message, r.from.Head)
			if err != nil {
				return err
			}
			oid, err = at.StoreCommit(ctx, tree, message, r.from.Head, index)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return []Saved{s}, git.Bare(r.from.CommonDir, "", "").StoreRef(ctx, s.Ref, oid)
}

// stillMissing refuses a workspace that has come back, or is at another commit by now.
func (r *Removal) stillMissing(ctx context.Context) error {
	family, err := git.Worktrees(ctx, r.from.CommonDir, "safe.bareRepository=all")
	if err != nil {
		return err
	}
	for _, w := range family {
		if w.Path == r.from.Path && w.Head == r.from.Head && !w.Locked && nothingAt(filepath.Join(w.Path, ".git")) {
			return nil
		}
	}
	return worktree.Refuse("targetMoved", "path", r.from.Path)
}
