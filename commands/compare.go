package commands

import (
	"context"
	"encoding/json"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
)

// CompareParams name a workspace and what it is compared with: without With, its parent.
type CompareParams struct {
	Workspace string `json:"workspace"`
	With      string `json:"with,omitempty"`
}

// CompareResult is what a workspace has changed since it parted from its parent's branch: for a diff view, with the file at
// Base on the left and the file on disk on the right.
type CompareResult struct {
	Base   string           `json:"base"`             // object id: the last commit that both have
	With   string           `json:"with,omitempty"`   // the other workspace, where there is one
	Branch string           `json:"branch,omitempty"` // and its branch
	Head   string           `json:"head"`             // object id that this is at now
	Ahead  int              `json:"ahead"`            // commits that only the workspace has
	Behind int              `json:"behind"`           // commits that only the other one has
	Files  []carry.Compared `json:"files"`
}

func compare(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	var p CompareParams
	if err := decode(argument, &p); err != nil {
		return nil, err
	}
	if p.Workspace == "" && len(env.Folders) == 1 {
		p.Workspace = env.Folders[0]
	}
	for _, err := range []error{required("workspace", p.Workspace), absolute("workspace", p.Workspace), absolute("with", p.With)} {
		if err != nil {
			return nil, err
		}
	}
	at, err := open(ctx, p.Workspace)
	if err != nil {
		return nil, err
	}
	switch {
	case at.Bare:
		return nil, refuse("bare", "path", at.Path)
	case at.Head == "":
		return nil, refuse("unborn")
	}
	other, err := comparedWith(ctx, at, p.With)
	if err != nil {
		return nil, err
	}
	result := CompareResult{With: other.Path, Branch: other.Branch, Head: other.Head}
	if result.Base = worktree.MergeBase(ctx, at, other.Head, at.Head); result.Base == "" {
		return nil, refuse("noParent")
	}
	if result.Behind, result.Ahead, err = worktree.Apart(ctx, at, other.Head, at.Head); err != nil {
		return nil, err
	}
	if result.Files, err = carry.Compare(ctx, at, result.Base); err != nil {
		return nil, err
	}
	return result, nil
}

// comparedWith is the other side: a workspace that was named, or the branch of the parent as it is now.
func comparedWith(ctx context.Context, at worktree.Worktree, with string) (worktree.Worktree, error) {
	if with == "" {
		other, no := worktree.ParentOf(ctx, at)
		if no != nil {
			return other, no
		}
		return other, nil
	}
	other, err := open(ctx, with)
	switch {
	case err != nil:
		return other, err
	case other.CommonDir != at.CommonDir:
		return other, refuse("otherRepository")
	case other.Path == at.Path:
		return other, refuse("sameWorkspace")
	case other.Head == "":
		return other, refuse("unborn")
	}
	return other, nil
}
