package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// ReadHead gives the object id of a worktree's commit at this moment. It reads two files; git is asked only where those
// do not tell (a packed branch, another ref storage).
func ReadHead(ctx context.Context, w Worktree) (string, error) {
	if head, err := os.ReadFile(filepath.Join(w.GitDir, "HEAD")); err == nil {
		at := strings.TrimSpace(string(head))
		if branch, ok := strings.CutPrefix(at, "ref: refs/heads/"); ok && filepath.IsLocal(branch) {
			loose, _ := os.ReadFile(filepath.Join(w.CommonDir, "refs", "heads", filepath.FromSlash(branch)))
			at = strings.TrimSpace(string(loose))
		}
		if git.IsObjectID(at) {
			return at, nil
		}
	}
	return git.ResolveCommit(ctx, w.Path, "HEAD")
}
