package worktree

import (
	"context"
	"slices"
	"strings"
	"time"

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

// Refs gives what a worktree of w's repository can start from: branches, remotes' branches and tags, those first that were
// made last. Where git takes longer than within to know that, they come in the order of their names.
func Refs(ctx context.Context, w Worktree, within time.Duration) ([]git.Ref, error) {
	soon, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	refs, err := git.Refs(soon, w.Path, true)
	if err != nil && ctx.Err() == nil { // a ref whose object is broken keeps git from sorting, too
		refs, err = git.Refs(ctx, w.Path, false)
	}
	return refs, err
}
