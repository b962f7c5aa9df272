package commands

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
)

// carryChanges brings one workspace's uncommitted changes to another that has none of its own; it is fork.go's middle.
func carryChanges(ctx context.Context, env *Env, argument json.RawMessage, progress Progress) (any, error) {
	p, err := decodeCarry(argument)
	if err != nil {
		return nil, err
	}
	progress.Stage(p.OperationID, Preparing, 0)
	from, err := openParent(ctx, p.From)
	if err != nil {
		return nil, err
	}
	if _, err := registered(ctx, from); err != nil {
		return nil, err
	}
	to, err := open(ctx, p.To)
	if err != nil {
		return nil, err
	}
	var warnings []Warning
	if !p.DryRun {
		warnings = recoverEarlier(ctx, env, from.CommonDir)
	}
	options := env.carryOptions(p.Staged, p.Include)
	options.Paths = p.Paths
	plan, err := carry.Look(ctx, from, from.Head, options)
	if err != nil {
		return nil, err
	}
	defer plan.Close()
	if err := plan.Against(ctx, to); err != nil {
		return nil, err
	}
	back := intoParent(from, to, p, plan)
	if p.DryRun {
		return planCarry(plan, from, to, back)
	}
	if no := plan.Refused(); no != nil {
		return nil, no
	}
	if back != nil {
		return nil, back
	}
	result, err := carryExisting(ctx, plan, from, to, p, progress)
	if err != nil {
		return nil, err
	}
	result.Warnings = warnings
	return result, nil
}

// intoParent refuses a carry back into what the source was forked from, unless that is what was asked for. It says what
// would change there.
func intoParent(from, to worktree.Worktree, p CarryParams, plan *carry.Plan) error {
	if p.IntoParent || !from.ForkedFrom(to) {
		return nil
	}
	no := refuse("intoParent", "path", to.Path)
	const most = 100
	for i, f := range plan.Files {
		if i == most {
			no.Detail += "and " + strconv.Itoa(len(plan.Files)-most) + " more\n"
			break
		}
		no.Detail += f.Change + " " + Printable(f.Path) + "\n"
	}
	no.Detail = strings.TrimSuffix(no.Detail, "\n")
	return no
}

// planCarry is the answer to a carry that is not to be done: every refusal, and every file.
func planCarry(found *carry.Plan, from, to worktree.Worktree, back error) (*Plan, error) {
	result := RefusedPlan()
	result.Workspace, result.Dir, result.Base = from.Path, to.Path, to.Head
	result.fill(found)
	return result, collect(result, back)
}

func carryExisting(ctx context.Context, plan *carry.Plan, from, to worktree.Worktree, p CarryParams, progress Progress) (result *CarryResult, err error) {
	undo, err := carry.Begin(ctx, from, p.OperationID)
	if err != nil {
		return nil, err
	}
	defer undo.Close()
	defer func() {
		err = rollBack(ctx, undo, err)
		remember(ctx, undo, result, err)
	}()
	progress.Stage(p.OperationID, Copying, 10)
	result, err = carryInto(ctx, plan, to, undo, progress)
	if err != nil {
		return nil, err
	}
	return result, undo.Keep()
}

func decodeCarry(argument json.RawMessage) (CarryParams, error) {
	var p CarryParams
	if err := decode(argument, &p); err != nil {
		return p, err
	}
	fill(&p.Staged, "keep")
	if p.OperationID == "" {
		p.OperationID = uuid.NewString()
	}
	for _, err := range []error{
		required("from", p.From, "to", p.To),
		absolute("from", p.From), absolute("to", p.To),
		checkOperationID(p.OperationID),
		oneOf("staged", p.Staged, "keep", "unstage"),
		checkPatterns(p.Include), checkPaths(p.Paths),
	} {
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

// checkPaths refuses what is no path below a top level.
func checkPaths(paths []string) error {
	for _, path := range paths {
		if !filepath.IsLocal(filepath.FromSlash(path)) || strings.ContainsRune(path, 0) {
			return refuse("invalidArgument", "what", "paths has one that is not below the workspace: "+strconv.Quote(path))
		}
	}
	return nil
}
