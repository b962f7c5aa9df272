package commands

import (
	"context"
	"path/filepath"

	"github.com/sidefork/sidefork/carry/worktree"
)

// registeredAt is a workspace by its top level, whether its folder is there or not, with the worktrees of its repository.
// One whose folder is gone is looked for in the repository of the folder that is named, else in those of the client's
// workspace folders, and in the one that its path lies in. What was interrupted there earlier is taken back first.
func registeredAt(ctx context.Context, env *Env, path, repository string) (at worktree.Worktree, family []worktree.Worktree, warnings []Warning, err error) {
	at, why := open(ctx, path)
	if why == nil && worktree.SameFile(at.Path, path) {
		warnings = recoverEarlier(ctx, env, at.CommonDir)
		if at, err = open(ctx, path); err == nil { // again: that may have changed it
			family, err = at.Siblings(ctx)
			return at, family, warnings, err
		}
		why = err
	}
	var folders []string
	switch {
	case why == nil:
		folders = []string{at.Path}
		why = refuse("invalidArgument", "what", path+" is a folder inside the workspace "+at.Path)
	case repository != "":
		folders = []string{repository}
	default:
		folders = env.Folders
	}
	physical, e := worktree.Physical(path)
	if e != nil {
		physical = filepath.Clean(path)
	}
	for _, folder := range folders {
		there, err := open(ctx, folder)
		if err != nil {
			continue // what is wrong with the workspace is the answer
		}
		warnings = append(warnings, recoverEarlier(ctx, env, there.CommonDir)...)
		family, err := there.Siblings(ctx)
		if err != nil {
			return at, nil, warnings, err
		}
		for _, w := range family {
			if w.Missing && (w.Path == physical || w.Path == filepath.Clean(path)) {
				return w, family, warnings, ExactPath(w.Path)
			}
		}
	}
	return at, nil, warnings, why
}
