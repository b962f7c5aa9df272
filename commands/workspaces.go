package commands

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
)

// WorkspacesParams name the folders whose repositories are listed; without any, the client's workspace folders.
type WorkspacesParams struct {
	Folders []string `json:"folders,omitempty"`
}

// WorkspacesResult lists each repository once. Warnings say what a killed sidecar had left there and was taken back.
type WorkspacesResult struct {
	Repositories []Repository `json:"repositories"`
	Warnings     []Warning    `json:"warnings,omitempty"`
}

func workspaces(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	var p WorkspacesParams
	if err := decode(argument, &p); err != nil {
		return nil, err
	}
	asked := len(p.Folders) > 0
	if !asked {
		p.Folders = env.Folders
	}
	result := WorkspacesResult{Repositories: []Repository{}}
	var seen []string
	for _, folder := range p.Folders {
		if err := absolute("folders", folder); err != nil {
			return nil, err
		}
		at, err := open(ctx, folder)
		if err != nil && asked {
			return nil, err
		}
		if err != nil || slices.Contains(seen, at.CommonDir) {
			continue // of the client's own folders, one that is no repository is no error
		}
		seen = append(seen, at.CommonDir)
		result.Warnings = append(result.Warnings, recoverEarlier(ctx, env, at.CommonDir)...)
		repository, err := describeRepository(ctx, env, at)
		if err != nil {
			return nil, err
		}
		result.Repositories = append(result.Repositories, repository)
	}
	return result, nil
}

func describeRepository(ctx context.Context, env *Env, at worktree.Worktree) (Repository, error) {
	env.watchRepository(at.CommonDir) // first, so that nothing is missed
	all, err := at.Siblings(ctx)
	if err != nil {
		return Repository{}, err
	}
	live, err := liveSessions(ctx, env, paths(all))
	if err != nil {
		return Repository{}, err
	}
	r := Repository{Root: all[0].Path, GitDir: at.CommonDir, DefaultBranch: worktree.DefaultBranch(ctx, at)}
	for _, node := range worktree.Tree(all) {
		r.Workspaces = append(r.Workspaces, describe(node, live[node.Path]))
	}
	return r, nil
}

// liveSessions counts the sessions that run, by workspace.
func liveSessions(ctx context.Context, env *Env, tops []string) (map[string]int, error) {
	c := env.sessions()
	c.Seen = env.sessionFolders()
	page, err := sessions.List(ctx, c, sessions.Query{Worktrees: tops})
	if err != nil {
		return nil, err
	}
	live := map[string]int{}
	for _, s := range page.Sessions {
		if s.State == agent.Live {
			live[sessions.Workspace(s.Cwd, tops)]++
		}
	}
	return live, nil
}
