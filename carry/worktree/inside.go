package worktree

import (
	"context"
	"path/filepath"

	"github.com/sidefork/sidefork/carry/git"
)

// ShowsIn says whether a folder lies inside a worktree and is not ignored there, so that git would show it as new. One
// git process where it lies inside, none elsewhere.
func ShowsIn(ctx context.Context, w Worktree, folder string) bool {
	inside, err := filepath.Rel(w.Path, folder)
	if err != nil || !filepath.IsLocal(inside) {
		return false
	}
	// check-ignore takes no literal pathspecs; the path begins with ./ so that it is never magic.
	ignored := git.Command{Dir: w.Path, Args: []string{"--no-literal-pathspecs", "check-ignore", "-q", "--", "./" + filepath.ToSlash(inside) + "/"}}
	return git.ExitStatus(ignored.Run(ctx)) != 0
}
