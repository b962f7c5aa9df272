package commands

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/sidefork/sidefork/carry/worktree"
)

// AdoptParams name a workspace and its parent from now on; null for none.
type AdoptParams struct {
	Workspace string          `json:"workspace"`
	Parent    json.RawMessage `json:"parent"` // a path or null; it must be said
}

// AdoptResult is the workspace as it is now, and what its parent was before.
type AdoptResult struct {
	Workspace Workspace `json:"workspace"`
	Was       *string   `json:"was"`
}

// adopt says whose child a workspace is. It writes one small file in the workspace's own git folder, and nothing else.
func adopt(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	p, parent, err := decodeAdopt(argument)
	if err != nil {
		return nil, err
	}
	child, err := open(ctx, p.Workspace)
	if err != nil {
		return nil, err
	}
	recoverEarlier(ctx, env, child.CommonDir)
	l := worktree.Lineage{}
	if parent != "" {
		above, err := open(ctx, parent)
		if err != nil {
			return nil, err
		}
		if no := worktree.MayAdopt(above, child); no != nil {
			return nil, no
		}
		l.Parent, l.ParentBranch = above.Path, above.Branch
		l.Base = worktree.MergeBase(ctx, child, above.Head, child.Head)
	} else if child.Main {
		return nil, refuse("mainHasNoParent", "path", child.Path)
	}
	was, err := worktree.SetParent(child.GitDir, l)
	if err != nil {
		return nil, err
	}
	return adopted(ctx, env, child, was)
}

func adopted(ctx context.Context, env *Env, child worktree.Worktree, was string) (*AdoptResult, error) {
	all, err := child.Siblings(ctx)
	if err != nil {
		return nil, err
	}
	live, err := liveSessions(ctx, env, paths(all))
	if err != nil {
		return nil, err
	}
	result := new(AdoptResult)
	for _, node := range worktree.Tree(all) {
		if node.Path == child.Path {
			result.Workspace = describe(node, live[node.Path])
		}
	}
	if was != "" {
		result.Was = &was
	}
	return result, nil
}

func decodeAdopt(argument json.RawMessage) (p AdoptParams, parent string, err error) {
	if err = decode(argument, &p); err != nil {
		return p, "", err
	}
	if p.Parent == nil {
		return p, "", refuse("invalidArgument", "what", "parent is missing: a path, or null for none")
	}
	if !bytes.Equal(p.Parent, []byte("null")) {
		if json.Unmarshal(p.Parent, &parent) != nil || parent == "" {
			return p, "", refuse("invalidArgument", "what", "parent is neither a path nor null")
		}
	}
	for _, err := range []error{required("workspace", p.Workspace), absolute("workspace", p.Workspace), absolute("parent", parent)} {
		if err != nil {
			return p, "", err
		}
	}
	return p, parent, nil
}
