package commands

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"github.com/sidefork/sidefork/carry/pulse"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
)

// SessionsParams ask for sessions: of one workspace (the default), of its repository, or all.
type SessionsParams struct {
	Workspace string    `json:"workspace,omitempty"`
	Scope     string    `json:"scope,omitempty"` // workspace, repository, all
	Agents    []string  `json:"agents,omitempty"`
	Limit     int       `json:"limit,omitempty"`
	Cursor    string    `json:"cursor,omitempty"`
	Session   *agent.ID `json:"session,omitempty"`
	Turns     bool      `json:"turns,omitempty"`
}

// SessionsResult is a page of sessions, newest first. Next asks for the page after it.
type SessionsResult struct {
	Sessions []Session       `json:"sessions"`
	Next     string          `json:"next,omitempty"`
	Problems []agent.Problem `json:"problems"`
}

func listSessions(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	var p SessionsParams
	if err := decode(argument, &p); err != nil {
		return nil, err
	}
	if p.Workspace == "" && len(env.Folders) == 1 {
		p.Workspace = env.Folders[0]
	}
	fill(&p.Scope, "workspace")
	for _, err := range []error{
		absolute("workspace", p.Workspace),
		oneOf("scope", p.Scope, "workspace", "repository", "all"),
	} {
		if err != nil {
			return nil, err
		}
	}
	if p.Turns || p.Session != nil {
		return listTurns(ctx, env, p)
	}
	if p.Limit < 0 {
		return nil, refuse("invalidArgument", "what", "limit is negative")
	}
	if p.Scope != "all" {
		if err := required("workspace", p.Workspace); err != nil {
			return nil, err
		}
	}
	return findSessions(ctx, env, p)
}

func findSessions(ctx context.Context, env *Env, p SessionsParams) (SessionsResult, error) {
	var asked string
	var tops []string
	if p.Workspace != "" {
		at, err := open(ctx, p.Workspace)
		if no, ok := errors.AsType[refusal](err); ok && no.ReasonCode() == "missing" {
			return sessionsOfMissing(ctx, env, p, no)
		}
		if err != nil {
			return SessionsResult{}, err
		}
		all, err := at.Siblings(ctx)
		if err != nil {
			return SessionsResult{}, err
		}
		asked, tops = at.Path, paths(all)
	}
	query := sessions.Query{Agents: p.Agents, Limit: p.Limit, Cursor: p.Cursor}
	if p.Scope != "all" {
		query.Worktrees = tops
	}
	if p.Scope == "workspace" {
		query.Only = asked
	}
	c := env.sessions()
	c.Seen = env.sessionFolders()
	page, err := sessions.List(ctx, c, query)
	if err != nil {
		return SessionsResult{}, err
	}
	return describePage(ctx, env, page, judge{asked: asked, tops: tops})
}

// sessionsOfMissing lists the sessions of a folder that is gone: their conversations still exist, and each says why it
// cannot be forked from there.
func sessionsOfMissing(ctx context.Context, env *Env, p SessionsParams, gone refusal) (SessionsResult, error) {
	folder := filepath.Clean(p.Workspace)
	page, err := sessions.List(ctx, env.sessions(), sessions.Query{Agents: p.Agents, Limit: p.Limit, Cursor: p.Cursor, Worktrees: []string{folder}})
	if err != nil {
		return SessionsResult{}, err
	}
	if len(page.Sessions) == 0 && p.Cursor == "" {
		return SessionsResult{}, gone
	}
	for i := range page.Sessions {
		page.Sessions[i].NotForkable = agent.Refuse("missing", "path", folder)
	}
	return describePage(ctx, env, page, judge{asked: folder, tops: []string{folder}})
}

func describePage(ctx context.Context, env *Env, page sessions.Page, j judge) (SessionsResult, error) {
	result := SessionsResult{Sessions: make([]Session, 0, len(page.Sessions)), Next: page.Next, Problems: page.Problems}
	var agents []string
	for _, s := range page.Sessions {
		if !slices.Contains(agents, s.ID.Agent) && j.describe(s).Fork.Kind == "native" {
			agents = append(agents, s.ID.Agent)
		}
	}
	var err error
	if j.unusable, err = unusable(ctx, env, agents); err != nil {
		return SessionsResult{}, err
	}
	for _, s := range page.Sessions {
		result.Sessions = append(result.Sessions, j.describe(s))
	}
	if result.Problems == nil {
		result.Problems = []agent.Problem{}
	}
	return result, nil
}

// unusable says of each of these agents that cannot fork why: it is not installed, or too old. Each program is started
// once at most, all of them at once, and none that env.Memory knows.
func unusable(ctx context.Context, env *Env, agents []string) (map[string]Reason, error) {
	refusals := make([]error, len(agents))
	var asking sync.WaitGroup
	for i, name := range agents {
		asking.Go(func() {
			pulse.Begin(ctx, "ask "+name+" for its version") // each has a limit of its own
			refusals[i] = sessions.Usable(ctx, env.sessions(), name)
		})
	}
	asking.Wait()
	found := map[string]Reason{}
	for i, err := range refusals {
		if _, refused := errors.AsType[refusal](err); refused {
			found[agents[i]], _ = reasonOf(err)
		} else if err != nil {
			return nil, err
		}
	}
	return found, nil
}
