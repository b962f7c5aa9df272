package commands

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/sidefork/sidefork/carry/worktree"
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
		notYet("turns", p.Turns || p.Session != nil),
	} {
		if err != nil {
			return nil, err
		}
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
		at, err := worktree.Open(ctx, p.Workspace)
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
	page, err := sessions.List(ctx, env.sessions(), query)
	if err != nil {
		return SessionsResult{}, err
	}
	return describePage(page, asked, tops), nil
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
	result := describePage(page, folder, []string{folder})
	why, _ := reasonOf(gone)
	for i := range result.Sessions {
		result.Sessions[i].Fork = SessionFork{Kind: "none", Reason: &why}
	}
	return result, nil
}

func describePage(page sessions.Page, asked string, tops []string) SessionsResult {
	result := SessionsResult{Sessions: make([]Session, 0, len(page.Sessions)), Next: page.Next, Problems: page.Problems}
	for _, s := range page.Sessions {
		result.Sessions = append(result.Sessions, describeSession(s, asked, tops))
	}
	if result.Problems == nil {
		result.Problems = []agent.Problem{}
	}
	return result
}
