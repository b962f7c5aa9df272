package commands

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/sessions/agent"
)

// plan goes through the same decisions as a fork, collects every refusal instead of stopping at the first, and writes
// nothing. What hangs on something that was refused is not decided: one mistake is one refusal.
func plan(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	p, err := decodeFork(argument, env)
	if err != nil {
		return nil, err
	}
	if p.Worktree.Kind != "new" {
		return planElsewhere(ctx, env, p)
	}
	result := RefusedPlan()
	parent, err := openParent(ctx, p.Workspace)
	if err != nil {
		return result, collect(result, err)
	}
	family, err := registered(ctx, parent)
	if err != nil {
		return result, collect(result, err)
	}
	result.Workspace = parent.Path
	from, err := chooseBase(ctx, parent, p)
	if err := collect(result, err); err != nil {
		return nil, err
	}
	places, err := choosePlaces(ctx, env, parent, family, p)
	if err := collect(result, err); err != nil {
		return nil, err
	}
	var there place // the first of several stands for all
	if len(places) > 0 {
		there = places[0]
	}
	result.Base, result.Name, result.Dir = from.oid, there.branch, there.folder
	result.Warnings = append(result.Warnings, from.warnings...)
	result.Warnings = append(result.Warnings, there.warnings...)
	for _, at := range places {
		if len(places) > 1 {
			result.Copies = append(result.Copies, PlannedCopy{at.branch, at.folder})
		}
	}
	if err := planChanges(ctx, env, result, parent, from, places, p); err != nil {
		return nil, err
	}
	if from.oid != "" {
		setup, err := chooseSetup(ctx, env, parent, family, from, p.Setup)
		if err := collect(result, err); err != nil {
			return nil, err
		}
		result.Setup, result.Warnings = setup.info(), append(result.Warnings, setup.warnings...)
	}
	session, err := findSession(ctx, env, parent, family, p.Session)
	if err := collect(result, err); err != nil {
		return nil, err
	}
	if refused := p.Session != nil && session == nil; refused {
		return result, nil
	}
	return result, planAgent(ctx, env, result, session, there, parent, family, p)
}

// RefusedPlan is the plan of a fork that is refused for these reasons before there is anything to plan.
func RefusedPlan(reasons ...Reason) *Plan {
	return &Plan{
		Files: []carry.File{}, Left: []carry.Left{}, Refusals: append([]Reason{}, reasons...), Commands: [][]string{}, Warnings: []Warning{},
	}
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

func planChanges(ctx context.Context, env *Env, into *Plan, parent worktree.Worktree, from base, places []place, p ForkParams) error {
	if from.oid == "" {
		return nil
	}
	if !from.carry {
		into.Numbers = &carry.Numbers{}
		into.addCreation(places, from, nil)
		return nil
	}
	opts, err := env.forkOptions(ctx, parent, p)
	if err != nil {
		return err
	}
	changes, err := carry.Look(ctx, parent, from.oid, opts)
	if err != nil {
		return collect(into, err)
	}
	defer changes.Close()
	into.Warnings = append(into.Warnings, aboutInclude(changes)...)
	into.addCreation(places, from, changes)
	into.fill(changes)
	return nil
}

// addCreation puts what makes the children into a plan: like is what is to be carried, nil for nothing.
func (into *Plan) addCreation(places []place, from base, like *carry.Plan) {
	for _, at := range places {
		into.Commands = append(into.Commands, createRequest(at, from.oid, like).Argv()...)
	}
}

// fill puts what a carry would bring into a plan.
func (into *Plan) fill(found *carry.Plan) {
	if found.Counted() {
		into.Numbers = &found.Numbers
	}
	into.Files = append(into.Files, found.Files...)
	into.Left = append(into.Left, found.Left...)
	into.Commands = append(into.Commands, found.Argv...)
	for _, no := range found.Refusals {
		why, _ := reasonOf(no)
		into.Refusals = append(into.Refusals, why)
	}
}

// planAgent settles how the child's agent would start. Where the child's place was refused it still asks whether the
// agent can fork the session, for a place that does not matter.
func planAgent(ctx context.Context, env *Env, into *Plan, session *agent.Session, there place, parent worktree.Worktree, family []worktree.Worktree, p ForkParams) error {
	placed := there.folder != ""
	if !placed {
		there.folder = parent.Path
	}
	before := len(into.Refusals)
	launch, err := planLaunch(ctx, env, session, parent, family, there, p)
	if err := collect(into, err); err != nil {
		return err
	}
	seat, err := chooseSeat(ctx, env, launch, there, p)
	if err := collect(into, err); err != nil {
		return err
	}
	if session != nil {
		shape := judge{asked: parent.Path, tops: paths(family)}.describe(*session)
		if len(into.Refusals) > before {
			shape.Fork = SessionFork{Kind: "none", Reason: &into.Refusals[before]}
		}
		into.Session = &shape
	}
	if placed {
		into.addLaunch(launch, seat)
		into.Warnings = append(into.Warnings, aboutTrust(launch)...)
	}
	return nil
}

// addLaunch puts how the agent would start into a plan; nil is no agent.
func (into *Plan) addLaunch(launch *agent.Launch, s seat) {
	if launch == nil {
		return
	}
	into.Launch, into.Forecast = s.planned(launch), launch.Forecast
	if i := launch.Import; i != nil && i.Content != nil {
		into.Commands = append(into.Commands, append(slices.Clone(i.Argv), "FILE"))
	} else if i != nil && i.Argv != nil {
		into.Commands = append(into.Commands, i.Argv)
	}
	into.Commands = append(into.Commands, s.argv(launch))
}
