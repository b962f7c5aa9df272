package commands

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
)

func fork(ctx context.Context, env *Env, argument json.RawMessage, progress Progress) (any, error) {
	p, err := decodeFork(argument, env)
	if err != nil {
		return nil, err
	}
	result, err := forkSession(ctx, env, p, progress)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// forkSession is the main job, top to bottom. Until carry.Begin nothing is written, and every refusal that can be known
// by then has been made; from there on whatever fails, or is cancelled, is taken back by the operation's undo; from Keep
// on the child is the user's and nothing takes it back.
func forkSession(ctx context.Context, env *Env, p ForkParams, progress Progress) (result *ForkResult, err error) {
	progress.Stage(p.OperationID, Preparing, 0)
	parent, err := openParent(ctx, p.Workspace) // its exact HEAD, read now
	if err != nil {
		return nil, err
	}
	warnings := recoverEarlier(ctx, env, parent.CommonDir)
	base, err := chooseBase(ctx, parent, p)
	if err != nil {
		return nil, err
	}
	looking := lookAtChanges(ctx, env, parent, base, p) // it goes on while the rest is decided
	defer looking.close()
	family, err := registered(ctx, parent)
	if err != nil {
		return nil, err
	}
	place, err := choosePlace(ctx, env, parent, family, p) // a branch name and a folder that are free
	if err != nil {
		return nil, err
	}
	session, err := findSession(ctx, env, parent, family, p.Session) // one of this workspace, or none
	if err != nil {
		return nil, err
	}
	launch, err := planLaunch(ctx, env, session, place, p.Prompt) // the agent is installed and can fork it
	if err != nil {
		return nil, err
	}
	setup, err := chooseSetup(ctx, env, parent, family, base, p.Setup) // what may run in the child, or nothing
	if err != nil {
		return nil, err
	}
	plan, err := looking.plan() // every refusal of the carry
	if err != nil {
		return nil, err
	}

	undo, err := carry.Begin(ctx, parent, p.OperationID) // the lock, and the journal that the undo is read from
	if err != nil {
		return nil, err
	}
	defer undo.Close()
	defer func() {
		err = rollBack(ctx, undo, err)
		remember(undo, result, err)
	}()

	progress.Stage(p.OperationID, Creating, 10)
	child, err := createWorkspace(ctx, undo, place, base.oid, plan) // hooks off
	if err != nil {
		return nil, err
	}
	progress.Stage(p.OperationID, Copying, 40)
	carried, err := carryInto(ctx, plan, child, undo, progress) // written and proved
	if err != nil {
		return nil, err
	}
	progress.Stage(p.OperationID, SettingUp, 90)
	ran, err := runSetup(ctx, env, undo, parent, child, mainCheckout(family, parent), setup) // after the hook
	if err != nil {
		return nil, err
	}
	progress.Stage(p.OperationID, Starting, 95)
	if err := writeLineage(ctx, parent, child, base, launch, p); err != nil {
		return nil, err
	}
	if err := undo.Keep(); err != nil {
		return nil, err
	}
	launch, missing := storeConversation(ctx, env, launch) // with an agent that has to have it before it starts
	if ctx.Err() != nil {
		warnings = append(warnings, warning("cancelTooLate", ""))
	}
	awaitStart(env, p, session, launch)
	return &ForkResult{
		Status:    "completed",
		Workspace: describeChild(child, parent, family, p),
		Session:   forkedSession(launch),
		Launch:    describeLaunch(launch),
		Carried:   carried,
		Setup:     ran.result,
		Terminals: ran.terminals,
		Warnings:  append([]Warning{}, slices.Concat(warnings, base.warnings, place.warnings, aboutInclude(plan), ran.warnings, missing)...),
	}, nil
}

// openParent opens the workspace that is to be forked and refuses one that cannot be.
func openParent(ctx context.Context, path string) (worktree.Worktree, error) {
	parent, err := open(ctx, path)
	if err != nil {
		return parent, err
	}
	if no := parent.Eligible(); no != nil {
		return parent, no
	}
	return parent, nil
}
