package commands

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/commands/setup"
	"github.com/sidefork/sidefork/sessions/agent"
)

func fork(ctx context.Context, env *Env, argument json.RawMessage, progress Progress) (any, error) {
	p, err := decodeFork(argument, env)
	if err != nil {
		return nil, err
	}
	if p.Worktree.Kind != "new" {
		result, err := forkElsewhere(ctx, env, p, progress)
		if err != nil {
			return nil, err
		}
		return result, nil
	}
	d, err := decideFork(ctx, env, p, progress)
	defer d.close()
	if err != nil {
		return nil, err
	}
	var result *ForkResult
	if p.Copies > 1 || d.mayKeep(p) {
		result, err = forkCopies(ctx, env, p, d, progress)
	} else {
		result, err = forkSession(ctx, env, p, d, progress)
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// decision is a fork as far as it is settled with nothing written.
type decision struct {
	parent   worktree.Worktree
	family   []worktree.Worktree // all worktrees of its repository
	base     base
	looking  *changes
	session  *agent.Session // nil: a branch-only workspace
	children []childPlan
	setup    setupChoice
	plan     *carry.Plan // nil: no changes come
	warnings []Warning

	creating sync.Mutex // git makes one worktree after the other
}

// childPlan is where one child goes, how its agent starts, and the port that its setup may use.
type childPlan struct {
	place  place
	launch *agent.Launch
	seat   seat // the terminal that it starts on, if that is ours
	port   string
}

func (d *decision) close() {
	if d.looking != nil {
		d.looking.close()
	}
}

// decideFork is the first half of the main job: it writes nothing, and makes every refusal that can be known by then.
func decideFork(ctx context.Context, env *Env, p ForkParams, progress Progress) (d *decision, err error) {
	progress.Stage(p.OperationID, Preparing, 0)
	d = new(decision)
	if env.Memory == nil && p.Copies > 1 { // each child's agent is the same program
		knows := *env
		knows.Memory = new(Memory)
		env = &knows
	}
	if d.parent, err = openParent(ctx, p.Workspace); err != nil { // its exact HEAD, read now
		return d, err
	}
	d.warnings = recoverEarlier(ctx, env, d.parent.CommonDir)
	if d.base, err = chooseBase(ctx, d.parent, p); err != nil {
		return d, err
	}
	d.looking = lookAtChanges(ctx, env, d.parent, d.base, p) // it goes on while the rest is decided
	if d.family, err = registered(ctx, d.parent); err != nil {
		return d, err
	}
	places, err := choosePlaces(ctx, env, d.parent, d.family, p) // branch names and folders that are free
	if err != nil {
		return d, err
	}
	if d.session, err = findSession(ctx, env, d.parent, d.family, p.Session); err != nil { // one of this workspace, or none
		return d, err
	}
	for _, there := range places {
		launch, err := planLaunch(ctx, env, d.session, d.parent, d.family, there, p) // the agent is installed and can fork it
		if err != nil {
			return d, err
		}
		seat, err := chooseSeat(ctx, env, launch, there, p)
		if err != nil {
			return d, err
		}
		d.children = append(d.children, childPlan{place: there, launch: launch, seat: seat})
	}
	if d.setup, err = chooseSetup(ctx, env, d.parent, d.family, d.base, p.Setup); err != nil { // what may run in the child, or nothing
		return d, err
	}
	if d.setup.run {
		for i, port := range setup.FreePorts(len(d.children)) {
			d.children[i].port = port
		}
	}
	d.plan, err = d.looking.plan() // every refusal of the carry
	d.warnings = slices.Concat(d.warnings, d.base.warnings, aboutInclude(d.plan))
	return d, err
}

// forkSession is the second half. From carry.Begin on whatever fails, or is cancelled, is taken back by the operation's
// undo; from Keep on the child is the user's and nothing takes it back.
func forkSession(ctx context.Context, env *Env, p ForkParams, d *decision, progress Progress) (result *ForkResult, err error) {
	undo, err := carry.Begin(ctx, d.parent, p.OperationID) // the lock, and the journal that the undo is read from
	if err != nil {
		return nil, err
	}
	defer undo.Close()
	defer func() {
		err = rollBack(ctx, undo, err)
		remember(ctx, undo, result, err)
	}()
	made, err := makeChild(ctx, env, p, d, d.children[0], d.plan, undo, progress)
	if err != nil {
		return nil, err
	}
	if err := undo.Keep(); err != nil {
		return nil, err
	}
	result = made.handOver(ctx, env, p, d)
	result.Warnings = append(append([]Warning{}, d.warnings...), result.Warnings...)
	return result, nil
}

// madeChild is a child that stands, and is not the user's yet.
type madeChild struct {
	childPlan
	child   worktree.Worktree
	carried *CarryResult
	setup   setupRun
	without []Warning // that the changes did not come, and why
	undo    *carry.Operation
}

// makeChild makes one child, in an operation that has begun.
func makeChild(ctx context.Context, env *Env, p ForkParams, d *decision, it childPlan, changes *carry.Plan, undo *carry.Operation, progress Progress) (*madeChild, error) {
	progress.Stage(p.OperationID, Creating, 10)
	child, err := createWorkspace(ctx, undo, &d.creating, it.place, d.base, changes) // hooks off
	if err != nil {
		return nil, err
	}
	progress.Stage(p.OperationID, Copying, 40)
	carried, err := carryInto(ctx, changes, child, undo, progress) // written and proved
	if err != nil {
		return nil, notCarried{err}
	}
	progress.Stage(p.OperationID, SettingUp, 90)
	at := setup.Place{Root: mainCheckout(d.family, d.parent), Parent: d.parent.Path, Child: child.Path, Branch: child.Branch, Port: it.port}
	ran, err := runSetup(ctx, env, undo, child, at, d.setup) // after the hook
	if err != nil {
		return nil, err
	}
	progress.Stage(p.OperationID, Starting, 95)
	if err := writeLineage(ctx, d.parent, child, d.base, it.launch, p); err != nil {
		return nil, err
	}
	return &madeChild{childPlan: it, child: child, carried: carried, setup: ran, undo: undo}, nil
}

// handOver gives a child that was kept to the client.
func (m *madeChild) handOver(ctx context.Context, env *Env, p ForkParams, d *decision) *ForkResult {
	launch, missing := storeConversation(ctx, env, m.launch) // with an agent that has to have it before it starts
	var late []Warning
	if ctx.Err() != nil {
		late = []Warning{warning("cancelTooLate", "")}
	}
	started, notStarted := startAgent(ctx, env, m.seat, launch)
	awaitStart(env, p, d.session, m.child, launch, started)
	if m.setup.beside != nil {
		m.setup.beside()
	}
	return &ForkResult{
		Status:    "completed",
		Workspace: describeChild(m.child, d.parent, d.family, p),
		Session:   forkedSession(launch),
		Launch:    started.launch,
		Draft:     started.draft,
		Carried:   m.carried,
		Setup:     m.setup.result,
		Terminals: m.setup.terminals,
		Warnings:  append([]Warning{}, slices.Concat(late, m.without, m.place.warnings, m.setup.warnings, missing, aboutTrust(launch), notStarted)...),
	}
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
