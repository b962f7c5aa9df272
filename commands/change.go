package commands

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/pulse"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
	"go.uber.org/zap"
)

// The steps of a fork that change the world, in fork.go's order. What each makes is recorded in the operation before it
// is made.

// createWorkspace makes the child's branch and worktree, with hooks off, and proves that it is itself.
func createWorkspace(ctx context.Context, undo *carry.Operation, turn *sync.Mutex, there place, from base, like *carry.Plan) (worktree.Worktree, error) {
	request := createRequest(there, from.oid, like)
	request.Turn, request.Follows = turn, from.follows
	return undo.Create(ctx, request)
}

func createRequest(there place, oid string, like *carry.Plan) carry.CreateRequest {
	return carry.CreateRequest{Path: there.folder, Branch: there.branch, Base: oid, Like: like}
}

// carryInto writes the plan into the child and proves it. nil where nothing was to come.
func carryInto(ctx context.Context, plan *carry.Plan, child worktree.Worktree, undo *carry.Operation, progress Progress) (*CarryResult, error) {
	if plan == nil {
		return nil, nil
	}
	result, err := plan.Into(ctx, child, undo, func(done, total int64) {
		if total > 0 {
			progress.Report(40+int(50*done/total), HumanBytes(done)+" / "+HumanBytes(total))
		}
	})
	if err != nil {
		return nil, err
	}
	return &CarryResult{Status: "carried", Numbers: result.Numbers, Left: append([]carry.Left{}, result.Left...), Verified: true, Merged: result.Merged}, nil
}

// writeLineage records in the child's own git folder where it came from.
func writeLineage(ctx context.Context, parent, child worktree.Worktree, from base, launch *agent.Launch, p ForkParams) error {
	if err := ctx.Err(); err != nil {
		return err // the last moment at which a cancel still takes everything back
	}
	if p.Child != nil && !*p.Child {
		return nil
	}
	l := worktree.Lineage{Parent: parent.Path, ParentBranch: parent.Branch, Base: from.oid, Operation: p.OperationID}
	if launch != nil {
		l.Session = &worktree.Session{Agent: launch.Parent.Agent, ID: launch.Session.ID, Parent: launch.Parent.ID}
	}
	return worktree.WriteLineage(child.GitDir, l)
}

// storeConversation has the child's conversation stored, where its agent needs that before it can be started. It comes
// after Keep, as the start of any agent does: the agent's store is not ours to take anything back from, and a fork of
// the work stands without it. Where it fails there is nothing to launch, and a warning says so.
func storeConversation(ctx context.Context, env *Env, launch *agent.Launch) (*agent.Launch, []Warning) {
	if launch == nil || launch.Import == nil {
		return launch, nil
	}
	defer pulse.Hold(ctx)()
	ready, err := sessions.Import(context.WithoutCancel(ctx), env.sessions(), *launch)
	if err != nil {
		return nil, []Warning{warning("sessionNotForked", err.Error(), "agent", launch.Parent.Agent, "id", launch.Parent.ID)}
	}
	return &ready, nil
}

// rollBack takes everything back if err says that the fork failed, and says in the failure what it left.
func rollBack(ctx context.Context, undo *carry.Operation, err error) error {
	if err == nil {
		return nil
	}
	why, detail := reasonOf(err)
	if f, ok := errors.AsType[*Failure](err); ok {
		why, detail = f.Reason, f.Detail
	}
	if cause := context.Cause(ctx); errors.Is(err, context.Canceled) || cause != nil && why.Code == "internal" && errors.Is(err, cause) {
		why, detail = reason("interrupted", nil), ""
		if cause != nil && !errors.Is(cause, context.Canceled) {
			detail = cause.Error() // who went away
		}
	}
	stuck := undo.RollBack(ctx)
	if stuck == nil {
		return &Failure{Reason: why, Effect: RolledBack, Detail: detail}
	}
	lines := []string{why.Message, detail, stuck.Error()}
	if s, ok := errors.AsType[*carry.Stuck](stuck); ok {
		lines = append(lines, s.Paths...)
	}
	return &Failure{Reason: reason("rollbackStuck", nil), Effect: Kept, Detail: strings.Join(nonEmpty(lines), "\n")}
}

// recoverEarlier takes back what a killed sidecar has left in a repository, before anything else is done there.
func recoverEarlier(ctx context.Context, env *Env, commonDir string) []Warning {
	recovered, err := carry.Recover(ctx, commonDir)
	if err != nil {
		env.log().Error("recover", zap.String("repository", commonDir), zap.Error(err))
	}
	var warnings []Warning
	for _, r := range recovered {
		lines := r.Paths
		code := map[string]string{"rolledBack": "recovered", "finished": "recoveryFinished", "kept": "recoveryKept", "failed": "recoveryFailed"}[r.Action]
		if r.Err != nil {
			lines = append([]string{r.Err.Error()}, lines...)
		}
		warnings = append(warnings, warning(code, strings.Join(lines, "\n"), "path", r.Workspace))
	}
	return warnings
}

// RecoverFolders takes back what a killed sidecar has left in the repositories of these folders; one that is no
// repository is passed over. A sidecar does this when it starts.
func RecoverFolders(ctx context.Context, env *Env, folders []string) []Warning {
	warnings, hangs := patiently(ctx, env.Patience, func(ctx context.Context) (warnings []Warning) {
		seen := map[string]bool{}
		for _, folder := range folders {
			w, err := worktree.Open(ctx, folder)
			if err != nil || seen[w.CommonDir] {
				continue
			}
			seen[w.CommonDir] = true
			warnings = append(warnings, recoverEarlier(ctx, env, w.CommonDir)...)
		}
		return warnings
	})
	if hangs != nil { // or no command would ever run
		env.log().Error("the recovery hangs", zap.Strings("folders", folders), zap.String("detail", hangs.Detail))
	}
	return warnings
}
