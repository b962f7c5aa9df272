package commands

import (
	"context"
	"slices"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
)

// A fork without a worktree of its own: in the same folder, where only the conversation is forked, or into a clean worktree
// that exists, which keeps its branch, its commit and its place in the tree. Neither makes a branch.

// checkWhere refuses what belongs to a new worktree alone.
func (p ForkParams) checkWhere() error {
	kind := p.Worktree.Kind
	if kind == "new" {
		return required("name", p.Name)
	}
	for _, one := range []struct {
		field string
		asked bool
	}{
		{"dir", p.Dir != ""},
		{"base", p.Base.Kind != "parentCommit"},
		{"child", p.Child != nil && *p.Child},
		{"setup.decision run", p.Setup != nil && p.Setup.Decision == "run"},
		{"copies", p.Copies > 1},
		{"onCarryFailure keep", p.OnCarryFailure == "keep"},
		{"carry", kind == "same" && p.Carry != nil && *p.Carry},
		{"include", kind == "same" && len(p.Include) > 0},
		{"a fork without a session", kind == "same" && p.Session == nil && p.Transcript == nil},
		{"a name that is not plain text", Printable(p.Name) != p.Name},
	} {
		if one.asked {
			return refuse("invalidArgument", "what", one.field+" has no place with worktree "+kind)
		}
	}
	if kind == "existing" {
		if err := required("worktree.existing", p.Worktree.Existing); err != nil {
			return err
		}
		return absolute("worktree.existing", p.Worktree.Existing)
	}
	return nil
}

// elsewhere is a fork that makes no worktree, once all of it is decided.
type elsewhere struct {
	parent, target worktree.Worktree // one and the same, or two of a repository
	session        *agent.Session
	launch         *agent.Launch
	seat           seat // the terminal that it starts on, if that is ours
	family         []worktree.Worktree
	warnings       []Warning
}

// decideElsewhere makes all decisions of such a fork but those of the carry, and writes nothing. refused is what a refusal
// ends in: a fork ends with it, a plan takes it down and goes on with what does not hang on it.
func decideElsewhere(ctx context.Context, env *Env, p ForkParams, refused func(error) error) (e elsewhere, err error) {
	if e.parent, e.target, err = openBoth(ctx, p); err != nil {
		return e, err
	}
	if e.family, err = registered(ctx, e.parent); err != nil {
		return e, err
	}
	if e.target.Path == e.parent.Path {
		e.warnings = []Warning{warning("sharedFolder", "", "path", e.parent.Path)}
	} else {
		maybe, err := notBusy(ctx, env, e.target, e.family)
		if err := refused(err); err != nil {
			return e, err
		}
		e.warnings = maybe
	}
	e.session, err = findSession(ctx, env, e.parent, e.family, p.Session)
	if err := refused(err); err != nil {
		return e, err
	}
	if p.Session != nil && e.session == nil {
		return e, nil
	}
	called := p.Name
	if called == "" {
		called = env.forkName(e.target.Path, e.target.Branch, "")
	}
	there := place{branch: called, folder: e.target.Path}
	if e.launch, err = planLaunch(ctx, env, e.session, e.parent, e.family, there, p); err != nil {
		return e, refused(err)
	}
	e.warnings = append(e.warnings, aboutTrust(e.launch)...)
	e.seat, err = chooseSeat(ctx, env, e.launch, there, p)
	return e, refused(err)
}

// openBoth opens where the fork comes from and where it goes to. A conversation can be forked on a detached HEAD, or in the
// middle of a rebase, where no child could start from.
func openBoth(ctx context.Context, p ForkParams) (parent, target worktree.Worktree, err error) {
	if p.Worktree.Kind == "same" {
		if parent, err = open(ctx, p.Workspace); err == nil && parent.Bare {
			err = refuse("bare", "path", parent.Path)
		}
		return parent, parent, err
	}
	if parent, err = openParent(ctx, p.Workspace); err != nil {
		return parent, target, err
	}
	if target, err = open(ctx, p.Worktree.Existing); err != nil {
		return parent, target, err
	}
	switch no := target.Eligible(); {
	case target.CommonDir != parent.CommonDir:
		return parent, target, refuse("otherRepository")
	case target.Path == parent.Path:
		return parent, target, refuse("sameWorkspace")
	case no != nil && no.Code != "detached": // that it stays on no branch is its own affair
		return parent, target, no
	case parent.ForkedFrom(target):
		no := refuse("intoParent", "path", target.Path)
		no.Reason.Remedy = "Fork into another worktree, or bring the changes there: sidefork carry --into-parent."
		return parent, target, no
	}
	return parent, target, nil
}

// notBusy refuses a worktree in which an agent is at work. Where that cannot be told, it warns.
func notBusy(ctx context.Context, env *Env, target worktree.Worktree, family []worktree.Worktree) (maybe []Warning, err error) {
	page, err := sessions.List(ctx, env.sessions(), sessions.Query{Worktrees: paths(family), Only: target.Path})
	if err != nil {
		return nil, err
	}
	of := map[agent.State][]string{}
	for _, s := range page.Sessions {
		of[s.State] = append(of[s.State], s.ID.Agent+" "+s.ID.ID)
	}
	if ids := of[agent.Live]; len(ids) > 0 {
		return nil, refuse("workspaceBusy", "path", target.Path, "sessions", someOf(ids))
	}
	if ids := of[agent.Unknown]; len(ids) > 0 {
		maybe = []Warning{warning("workspaceMaybeBusy", "", "path", target.Path, "sessions", someOf(ids))}
	}
	return maybe, nil
}

// look looks at what would come into the target: a plan, nil where nothing is to come. Close it.
func (e elsewhere) look(ctx context.Context, env *Env, p ForkParams) (*carry.Plan, error) {
	if e.target.Path == e.parent.Path {
		return nil, nil
	}
	if p.Carry != nil && !*p.Carry {
		no, err := carry.Clean(ctx, e.target)
		if err == nil && no != nil {
			err = no
		}
		return nil, err
	}
	plan, err := carry.Look(ctx, e.parent, e.parent.Head, env.carryOptions(p.Staged, p.Include))
	if err != nil {
		return nil, err
	}
	if err := plan.Against(ctx, e.target); err != nil {
		plan.Close()
		return nil, err
	}
	return plan, nil
}

// forkElsewhere is forkSession for a fork that makes no worktree: the same order, the same boundary.
func forkElsewhere(ctx context.Context, env *Env, p ForkParams, progress Progress) (result *ForkResult, err error) {
	progress.Stage(p.OperationID, Preparing, 0)
	e, err := decideElsewhere(ctx, env, p, func(err error) error { return err })
	if err != nil {
		return nil, err
	}
	warnings := append(recoverEarlier(ctx, env, e.parent.CommonDir), e.warnings...)
	plan, err := e.look(ctx, env, p)
	if err != nil {
		return nil, err
	}
	if plan != nil {
		defer plan.Close()
		if no := plan.Refused(); no != nil {
			return nil, no
		}
	}

	undo, err := carry.Begin(ctx, e.parent, p.OperationID)
	if err != nil {
		return nil, err
	}
	defer undo.Close()
	defer func() {
		err = rollBack(ctx, undo, err)
		remember(ctx, undo, result, err)
	}()
	progress.Stage(p.OperationID, Copying, 10)
	carried, err := carryInto(ctx, plan, e.target, undo, progress)
	if err != nil {
		return nil, err
	}
	progress.Stage(p.OperationID, Starting, 95)
	if err := ctx.Err(); err != nil {
		return nil, err // the last moment at which a cancel still takes everything back
	}
	if err := undo.Keep(); err != nil {
		return nil, err
	}
	launch, missing := storeConversation(ctx, env, e.launch)
	if ctx.Err() != nil {
		warnings = append(warnings, warning("cancelTooLate", ""))
	}
	started, notStarted := startAgent(ctx, env, e.seat, launch)
	awaitStart(env, p, e.session, e.target, launch, started)
	return &ForkResult{
		Status:    "completed",
		Workspace: e.describe(),
		Session:   forkedSession(launch),
		Launch:    started.launch,
		Draft:     started.draft,
		Carried:   carried,
		Warnings:  append([]Warning{}, slices.Concat(warnings, missing, notStarted)...),
	}, nil
}

// describe is the workspace that the fork works in, with its place in the tree.
func (e elsewhere) describe() *Workspace {
	for _, n := range worktree.Tree(e.family) {
		if n.Path == e.target.Path {
			n.Worktree = e.target
			shape := describe(n, 0)
			return &shape
		}
	}
	shape := describe(worktree.Node{Worktree: e.target}, 0)
	return &shape
}

// planElsewhere is the plan of a fork that makes no worktree.
func planElsewhere(ctx context.Context, env *Env, p ForkParams) (*Plan, error) {
	result := RefusedPlan()
	e, err := decideElsewhere(ctx, env, p, func(err error) error { return collect(result, err) })
	if err != nil {
		return result, collect(result, err)
	}
	result.Workspace, result.Dir, result.Base = e.parent.Path, e.target.Path, e.target.Head
	result.Warnings = append(result.Warnings, e.warnings...)
	if e.session != nil {
		shape := judge{asked: e.parent.Path, tops: paths(e.family)}.describe(*e.session)
		result.Session = &shape
	}
	changes, err := e.look(ctx, env, p)
	switch {
	case err != nil:
		if err := collect(result, err); err != nil {
			return nil, err
		}
	case changes != nil:
		defer changes.Close()
		result.fill(changes)
	default:
		result.Numbers = &carry.Numbers{}
	}
	result.addLaunch(e.launch, e.seat)
	return result, nil
}
