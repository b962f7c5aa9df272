package worktree

import (
	"context"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// safeRef says whether a ref looks like one before git sees it: no option, no path (a:b), no search (:/text), no blank.
func safeRef(ref string) bool {
	return ref != "" && ref[0] != '-' && !strings.ContainsFunc(ref, func(r rune) bool { return r <= ' ' || r == 0x7f || r == ':' })
}

// ResolveCommit gives the object id of the commit that ref names for w: a branch, a tag, an object id, origin/main,
// HEAD~2. One git process. Refusal: refUnknown.
func ResolveCommit(ctx context.Context, w Worktree, ref string) (oid string, no *Refusal) {
	if len(ref) > 1024 || !safeRef(ref) || strings.Contains(ref, "..") || strings.Contains(ref, "^{/") {
		return "", Refuse("refUnknown", "ref", ref)
	}
	oid, err := git.ResolveCommit(ctx, w.Path, ref)
	if err != nil || !git.IsObjectID(oid) {
		no = Refuse("refUnknown", "ref", ref)
		if err != nil {
			no.Detail = err.Error()
		}
		return "", no
	}
	return oid, nil
}

// DefaultBranch gives the repository's default branch as a name that ResolveCommit takes: what origin/HEAD points at
// ("origin/main"), else the branch that init.defaultBranch names, main or master, whichever exists first, else the
// main checkout's branch; "" where nothing is known. At most two git processes.
func DefaultBranch(ctx context.Context, w Worktree) string {
	at := git.Command{Dir: w.Path}
	if w.Bare {
		at = git.Bare(w.CommonDir, "", "")
	}
	branches, remote, err := git.BranchesAndDefault(ctx, at)
	if err != nil {
		return ""
	}
	if remote != "" {
		return remote
	}
	for _, name := range []string{git.InitialBranch(ctx, at), "main", "master"} {
		if name != "" && slices.Contains(branches, name) {
			return name
		}
	}
	return headFile(w.CommonDir)
}
