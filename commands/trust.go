package commands

import (
	"context"
	"encoding/json"

	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/commands/setup"
)

// TrustParams name a workspace, and the hash of the setup that the user has read there.
type TrustParams struct {
	Workspace string `json:"workspace"`
	Hash      string `json:"hash"`
}

// TrustResult says what is trusted now.
type TrustResult struct {
	Source  string `json:"source"`
	Hash    string `json:"hash"`
	Trusted bool   `json:"trusted"` // true
}

// trust records that the user has approved the setup of a repository with this hash: as it lies in the workspace, or as
// its last commit has it. No other command grants trust.
func trust(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	var p TrustParams
	if err := decode(argument, &p); err != nil {
		return nil, err
	}
	for _, err := range []error{required("workspace", p.Workspace, "hash", p.Hash), absolute("workspace", p.Workspace)} {
		if err != nil {
			return nil, err
		}
	}
	at, err := open(ctx, p.Workspace)
	if err != nil {
		return nil, err
	}
	family, err := at.Family(ctx)
	if err != nil {
		return nil, err
	}
	found, err := setupWithHash(ctx, env, at, family, p.Hash)
	if err != nil {
		return nil, err
	}
	if err := env.trust(at, family).Trust(found); err != nil {
		return nil, err
	}
	return &TrustResult{Source: found.Source, Hash: found.Hash, Trusted: true}, nil
}

// setupWithHash is the workspace's setup that has this hash.
func setupWithHash(ctx context.Context, env *Env, at worktree.Worktree, family []worktree.Worktree, hash string) (*setup.Setup, error) {
	var views []setup.View
	if !at.Bare && !at.Missing {
		views = append(views, setup.Disk(at.Path))
	}
	if at.Head != "" {
		views = append(views, setup.Tree(at.Path, at.Head))
	}
	var other setupChoice
	for _, view := range views {
		c, err := findSetup(ctx, env, at, family, view)
		if err != nil {
			return nil, err
		}
		if c.found != nil && c.found.Hash == hash {
			return c.found, nil
		}
		if other.found == nil {
			other = c
		}
	}
	if other.found == nil {
		return nil, refuse("noSetup")
	}
	return nil, other.about("setupHashWrong")
}

// SetupHere is the setup of the workspace that dir lies in, as it is on disk now, and whether the user has approved it; nil where
// there is none. It is for a look: nothing is written, and what was interrupted is not taken back.
func SetupHere(ctx context.Context, env *Env, dir string) (*SetupInfo, *Failure) {
	at, err := worktree.Open(ctx, dir)
	if err != nil {
		return nil, failureOf(err)
	}
	family, err := at.Family(ctx)
	if err != nil {
		return nil, failureOf(err)
	}
	c, err := findSetup(ctx, env, at, family, setup.Disk(at.Path))
	if err != nil {
		return nil, failureOf(err)
	}
	return c.info(), nil
}
