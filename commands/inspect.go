package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/commands/setup"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
	"golang.org/x/sync/errgroup"
)

// InspectParams name the workspace, and the session that the dialog was opened from.
type InspectParams struct {
	Workspace string    `json:"workspace"`
	PID       int       `json:"pid,omitempty"`
	Session   *agent.ID `json:"session,omitempty"`
}

// inspect reads all that a dialog needs in one round trip; what does not depend on each other is read at once.
func inspect(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	var p InspectParams
	if err := decode(argument, &p); err != nil {
		return nil, err
	}
	if p.Workspace == "" && len(env.Folders) == 1 {
		p.Workspace = env.Folders[0]
	}
	for _, err := range []error{required("workspace", p.Workspace), absolute("workspace", p.Workspace)} {
		if err != nil {
			return nil, err
		}
	}
	at, err := open(ctx, p.Workspace)
	if err != nil {
		return nil, err
	}
	var result Inspection
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return inspectWorkspace(ctx, env, at, &result) })
	group.Go(func() error { return inspectChanges(ctx, env, at, &result) })
	group.Go(func() error { return inspectSetup(ctx, env, at, &result) })
	group.Go(func() error {
		wanted, err := opener(ctx, env, p)
		if err != nil {
			return err
		}
		return inspectSessions(ctx, env, at, wanted, &result)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, s := range result.Sessions {
		if s.State == agent.Live {
			result.Workspace.AgentsLive++
		}
	}
	return result, nil
}

func inspectWorkspace(ctx context.Context, env *Env, at worktree.Worktree, into *Inspection) error {
	all, err := at.Siblings(ctx)
	if err != nil {
		return err
	}
	for _, node := range worktree.Tree(all) {
		if node.Path == at.Path {
			into.Workspace = describe(node, 0)
		}
	}
	into.Base.Head, into.Base.Branch = at.Head, at.Branch
	if at.Bare {
		return nil // nothing can be forked there, so nothing needs a name
	}
	into.Base.RepositoryDefault = worktree.DefaultBranch(ctx, at)
	into.SuggestedName, err = freeName(ctx, env, at)
	return err
}

func inspectChanges(ctx context.Context, env *Env, at worktree.Worktree, into *Inspection) error {
	into.Changes.Left = []carry.Left{}
	if no := at.Eligible(); no != nil {
		why, _ := reasonOf(no)
		into.Carry.Reason = &why
		if at.Bare || at.Missing {
			return nil
		}
	}
	counts, err := carry.Survey(ctx, at)
	if err != nil {
		return err
	}
	into.Changes = Changes{
		Modified: counts.Modified, New: counts.New, Staged: counts.Staged, Conflicted: counts.Conflicted,
		Bytes: counts.Bytes, Left: append([]carry.Left{}, counts.Left...),
	}
	if into.Carry.Reason == nil && counts.Conflicted > 0 {
		why := reason("unmerged", named([]string{"paths", "see git status"}))
		into.Carry.Reason = &why
	}
	if counts.Busy != nil {
		why, _ := reasonOf(counts.Busy)
		into.Carry.Reason = &why
	}
	for _, no := range env.carryOptions("keep", nil).Limits.Exceeded(counts.New, counts.Bytes) {
		why, _ := reasonOf(no)
		into.Carry.Reason = &why
	}
	into.Carry.Available = into.Carry.Reason == nil
	return nil
}

// inspectSetup shows the setup of a fork from here with the changes.
func inspectSetup(ctx context.Context, env *Env, at worktree.Worktree, into *Inspection) error {
	if at.Bare || at.Missing {
		return nil
	}
	c, err := findSetup(ctx, env, at, nil, setup.Disk(at.Path))
	if _, refused := errors.AsType[refusal](err); refused {
		why, _ := reasonOf(err)
		into.SetupProblem = &why
		return nil
	}
	into.Setup = c.info()
	return err
}

// opener is the session that the dialog was opened from: the one that is named, else the one that runs in the terminal.
func opener(ctx context.Context, env *Env, p InspectParams) (*agent.ID, error) {
	if p.Session != nil || p.PID == 0 {
		return p.Session, nil
	}
	found, err := sessions.Locate(ctx, env.sessions(), p.PID)
	if err != nil || found == nil {
		if _, refused := errors.AsType[refusal](err); refused {
			return nil, nil // nothing is preselected
		}
		return nil, err
	}
	return &found.Session.ID, nil
}

// inspectSessions lists the workspace's sessions. The one that the dialog was opened from is preselected; one that is
// gone or another workspace's never becomes another conversation.
func inspectSessions(ctx context.Context, env *Env, at worktree.Worktree, wanted *agent.ID, into *Inspection) error {
	found, err := findSessions(ctx, env, SessionsParams{Workspace: at.Path, Scope: "workspace"})
	if err != nil {
		return err
	}
	into.Sessions = found.Sessions
	for _, s := range found.Sessions {
		if wanted != nil && *wanted == (agent.ID{Agent: s.Agent, ID: s.ID}) && s.Fork.Kind != "none" {
			into.Preselected = wanted
		}
	}
	return nil
}

// forkName is what a fork of a workspace is called, where that is free: by the user's pattern, else by the one that the
// repository suggests.
func (e *Env) forkName(path, branch, suggested string) string {
	pattern := cmp.Or(e.Settings.Name.Pattern, suggested, "{workspace}-fork")
	if branch == "" {
		branch = filepath.Base(path)
	}
	filled := strings.NewReplacer("{workspace}", slug(filepath.Base(path)), "{branch}", slug(branch)).Replace(pattern)
	var parts []string
	for part := range strings.SplitSeq(filled, "/") {
		if part != "" {
			parts = append(parts, slug(part))
		}
	}
	return cmp.Or(strings.Join(parts, "/"), "session-fork")
}

// freeName is a name that a fork of a workspace can have.
func freeName(ctx context.Context, env *Env, at worktree.Worktree) (string, error) {
	suggested := ""
	if !at.Missing {
		said, err := setup.Suggests(ctx, setup.Disk(at.Path))
		if err != nil {
			return "", err
		}
		suggested = said.Name
	}
	return worktree.FreeName(ctx, at, env.forkName(at.Path, at.Branch, suggested))
}

// slug makes a branch name of a folder's name.
func slug(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool {
		return notPlain(r) || strings.ContainsRune("@%+:,/", r)
	})
	name := strings.Trim(strings.Join(words, "-"), "-.")
	name = strings.ReplaceAll(name, "..", "-")
	if name == "" {
		return "session"
	}
	return name
}
