package commands

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
)

// ArchiveParams name a workspace, by its top level, whose folder is to be freed, or to be brought back. Repository is a
// folder of its repository, for one that is archived; without it the client's workspace folders are asked.
type ArchiveParams struct {
	OperationID string   `json:"operationId,omitempty"`
	Workspace   string   `json:"workspace"`
	Archived    *bool    `json:"archived"`
	Repository  string   `json:"repository,omitempty"`
	Force       []string `json:"force,omitempty"` // codes of refusals that are not to count
}

// ArchiveResult is the workspace as it is now.
type ArchiveResult struct {
	Workspace Workspace    `json:"workspace"`
	Saved     string       `json:"saved,omitempty"` // the ref that holds what was not committed, while it is archived
	Lost      []carry.Left `json:"lost"`            // what does not come back: ignored files, special files
	Warnings  []Warning    `json:"warnings,omitempty"`
}

// archive frees a workspace's folder, or brings it back as it was.
func archive(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	p, err := decodeArchive(argument)
	if err != nil {
		return nil, err
	}
	at, family, warnings, err := registeredAt(ctx, env, p.Workspace, p.Repository)
	if err != nil {
		return nil, err
	}
	result := &ArchiveResult{Lost: []carry.Left{}, Warnings: warnings}
	switch {
	case !*p.Archived && !at.Archived:
		return nil, refuse("notArchived", "path", at.Path)
	case *p.Archived && at.Archived:
		return nil, refuse("archived", "path", at.Path)
	case *p.Archived && at.Missing:
		return nil, refuse("missing", "path", at.Path)
	case *p.Archived:
		err = freeFolder(ctx, env, at, family, p, result)
	default:
		err = bringBack(ctx, at, family, p, result)
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// freeFolder archives a workspace.
func freeFolder(ctx context.Context, env *Env, at worktree.Worktree, family []worktree.Worktree, p ArchiveParams, result *ArchiveResult) error {
	r := removing{
		env: env, at: at, family: family, id: p.OperationID, force: p.Force, forcible: carry.ForcibleToArchive, whenStuck: "archiveStuck",
		look: func() (*carry.Removal, error) { return carry.LookToArchive(ctx, at, family) },
	}
	return r.run(ctx, func(found *carry.Removal, saved []carry.Saved, said []Warning) any {
		for _, s := range saved {
			if s.Path == "" {
				result.Saved = s.Ref
			}
		}
		result.Lost, result.Warnings = append(result.Lost, found.Lost...), append(result.Warnings, said...)
		at.Archived, at.Missing, at.Locked = true, true, true
		result.Workspace = describeAmong(at, family)
		return result
	})
}

// bringBack restores an archived workspace.
func bringBack(ctx context.Context, at worktree.Worktree, family []worktree.Worktree, p ArchiveParams, result *ArchiveResult) (err error) {
	if err := carry.CanRestore(at); err != nil {
		return err
	}
	undo, err := carry.Begin(ctx, at, p.OperationID)
	if err != nil {
		return err
	}
	defer undo.Close()
	defer func() { remember(ctx, undo, result, err) }()
	if err := undo.Restore(ctx, at); err != nil {
		return rollBack(ctx, undo, err)
	}
	at.Archived, at.Missing, at.Locked, at.Why = false, false, false, ""
	result.Workspace = describeAmong(at, family)
	return nil
}

// describeAmong is a workspace in its place among those of its repository.
func describeAmong(at worktree.Worktree, family []worktree.Worktree) Workspace {
	list := slices.Clone(family)
	for i, w := range list {
		if w.Path == at.Path {
			list[i] = at
		}
	}
	for _, n := range worktree.Tree(list) {
		if n.Path == at.Path {
			return describe(n, 0)
		}
	}
	return describe(worktree.Node{Worktree: at}, 0)
}

func decodeArchive(argument json.RawMessage) (ArchiveParams, error) {
	var p ArchiveParams
	if err := decode(argument, &p); err != nil {
		return p, err
	}
	if err := checkGoing(p.Workspace, p.Repository, &p.OperationID); err != nil {
		return p, err
	}
	if p.Archived == nil {
		return p, refuse("invalidArgument", "what", "archived is missing: true or false")
	}
	if !*p.Archived && len(p.Force) > 0 {
		return p, refuse("invalidArgument", "what", "there is nothing to force with archived false")
	}
	if i := slices.IndexFunc(p.Force, func(kind string) bool { return !carry.ForcibleToArchive(kind) }); i >= 0 {
		return p, refuse("invalidArgument", "what", Printable(p.Force[i])+" is nothing that can be forced")
	}
	return p, nil
}
