package commands

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
)

// plan goes through the same decisions as a fork, collects every refusal instead of stopping at the first, and writes
// nothing.
func plan(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	p, err := decodeFork(argument, env)
	if err != nil {
		return nil, err
	}
	result := &Plan{Files: []carry.File{}, Left: []carry.Left{}, Refusals: []Reason{}, Commands: [][]string{}}
	parent, family, err := openParent(ctx, p.Workspace)
	if err != nil {
		return result, collect(result, err)
	}
	from, err := chooseBase(ctx, parent, p)
	if err := collect(result, err); err != nil {
		return nil, err
	}
	there, err := choosePlace(ctx, env, parent, family, p)
	if err := collect(result, err); err != nil {
		return nil, err
	}
	if there.folder != "" && from.oid != "" {
		result.Commands = append(result.Commands, carry.CreateRequest{Path: there.folder, Branch: there.branch, Base: from.oid}.Argv()...)
	}
	if err := planChanges(ctx, env, result, parent, from, p); err != nil {
		return nil, err
	}
	session, err := findSession(ctx, env, parent, family, p.Session)
	if err := collect(result, err); err != nil {
		return nil, err
	}
	launch, err := planLaunch(ctx, env, session, there, p.Prompt)
	if err := collect(result, err); err != nil {
		return nil, err
	}
	if launch != nil {
		result.Commands = append(result.Commands, launch.Argv)
	}
	return result, nil
}

// collect puts a refusal into the plan; what is no refusal stays an error.
func collect(into *Plan, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*Failure](err); ok && f.Effect == Nothing {
		into.Refusals = append(into.Refusals, f.Reason)
		return nil
	}
	if _, ok := errors.AsType[refusal](err); !ok {
		return err
	}
	why, _ := reasonOf(err)
	into.Refusals = append(into.Refusals, why)
	return nil
}

func planChanges(ctx context.Context, env *Env, into *Plan, parent worktree.Worktree, from base, p ForkParams) error {
	if !from.carry {
		return nil
	}
	changes, err := carry.Look(ctx, parent, from.oid, env.carryOptions(p.Staged))
	if err != nil {
		return collect(into, err)
	}
	defer changes.Close()
	into.Numbers = changes.Numbers
	into.Files = append(into.Files, changes.Files...)
	into.Left = append(into.Left, changes.Left...)
	into.Commands = append(into.Commands, changes.Argv...)
	for _, no := range changes.Refusals {
		why, _ := reasonOf(no)
		into.Refusals = append(into.Refusals, why)
	}
	return nil
}
