package worktree

import (
	"context"

	"github.com/sidefork/sidefork/carry/git"
)

// MayAdopt refuses a parent that a worktree cannot have: one of another repository, itself, one that was forked from it;
// and any, for the main checkout.
// Refusals: otherRepository, sameWorkspace, mainHasNoParent, lineageCycle, bare.
func MayAdopt(parent, child Worktree) *Refusal {
	switch {
	case parent.CommonDir != child.CommonDir:
		return Refuse("otherRepository")
	case parent.Path == child.Path:
		return Refuse("sameWorkspace")
	case child.Main:
		return Refuse("mainHasNoParent", "path", child.Path)
	case parent.Bare:
		return Refuse("bare", "path", parent.Path)
	case parent.ForkedFrom(child):
		return Refuse("lineageCycle", "path", parent.Path, "child", child.Path)
	}
	return nil
}

// SetParent writes who the parent of the worktree with this git folder is, and says who it was. Of what its lineage says
// the session and the operation stay, and the base where the new one has none. A lineage that cannot be read is replaced.
func SetParent(gitDir string, l Lineage) (was string, err error) {
	if old, err := ReadLineage(gitDir); err == nil && old != nil {
		was, l.Session, l.Operation = old.Parent, old.Session, old.Operation
		if l.Base == "" {
			l.Base = old.Base
		}
	} else if l.Parent == "" && err == nil {
		return "", nil // it says nothing, and need not
	}
	return was, WriteLineage(gitDir, l)
}

// MergeBase is the commit where two commits part; "" where they have nothing in common.
func MergeBase(ctx context.Context, w Worktree, a, b string) string {
	if !git.IsObjectID(a) || !git.IsObjectID(b) {
		return ""
	}
	return git.MergeBase(ctx, git.Command{Dir: w.Path}, a, b)
}

// Apart counts the commits that only the one and only the other commit has.
func Apart(ctx context.Context, w Worktree, one, other string) (ofOne, ofOther int, err error) {
	return git.Apart(ctx, git.Command{Dir: w.Path}, one, other)
}

// ParentOf gives what a worktree was forked from as it is now: the branch that its parent had, wherever that is checked out;
// else the parent's HEAD; else, where both are gone, the commit that it started from. Path is "" where the parent is gone.
// Refusal: noParent.
func ParentOf(ctx context.Context, w Worktree) (Worktree, *Refusal) {
	l, err := ReadLineage(w.GitDir)
	if err != nil || l == nil || l.Parent == "" && l.ParentBranch == "" {
		return Worktree{}, Refuse("noParent")
	}
	parent := Worktree{CommonDir: w.CommonDir}
	if here, err := Open(ctx, l.Parent); err == nil && here.CommonDir == w.CommonDir && here.Path == l.Parent {
		parent = here
	}
	if l.ParentBranch != "" && parent.Branch != l.ParentBranch && git.ValidBranch(l.ParentBranch) {
		if oid, err := git.BranchAt(ctx, git.Command{Dir: w.Path}, l.ParentBranch); err == nil && oid != "" {
			parent.Branch, parent.Head = l.ParentBranch, oid
		}
	}
	if parent.Head == "" {
		parent.Branch, parent.Head = "", l.Base
	}
	if parent.Head == "" {
		return Worktree{}, Refuse("noParent")
	}
	return parent, nil
}
