package commands

import (
	"context"
	"os"
	"path/filepath"

	"github.com/sidefork/sidefork/carry/worktree"
)

// insideOther warns where the child's folder lies in a checkout that is not its parent and does not ignore it, so that git
// would show the child there as new: the superproject of a submodule, a repository around this one. Where no checkout is
// above the folder it starts no process.
func insideOther(ctx context.Context, parent worktree.Worktree, folder string) []Warning {
	for at := filepath.Dir(folder); at != parent.Path; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			around, err := worktree.Open(ctx, at)
			if err == nil && around.Path != parent.Path && worktree.ShowsIn(ctx, around, folder) {
				return []Warning{warning("insideOther", "", "path", around.Path)}
			}
			return nil
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
	return nil
}
