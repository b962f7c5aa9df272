package git

import (
	"context"
	"strings"
)

// ListedWorktree is one entry of `git worktree list --porcelain`.
type ListedWorktree struct {
	Path     string
	Head     string // "" where the branch is unborn
	Ref      string // full name; "" where detached
	Bare     bool
	Detached bool
	Locked   bool
	Prunable bool // git 2.31 and newer say so
	Why      string
}

// Worktrees lists the worktrees of the repository around dir, the main one first, in git's order.
func Worktrees(ctx context.Context, dir string, extra ...string) ([]ListedWorktree, error) {
	out, err := Command{Dir: dir, Config: extra, Args: []string{"worktree", "list", "--porcelain", "-z"}}.Output(ctx)
	if ExitStatus(err) == 129 { // a usage error: -z came with git 2.36
		out, err = Command{Dir: dir, Config: extra, Args: []string{"worktree", "list", "--porcelain"}}.Output(ctx)
		if err != nil {
			return nil, err
		}
		return parseWorktrees(string(out), "\n"), nil
	}
	if err != nil {
		return nil, err
	}
	return parseWorktrees(string(out), "\x00"), nil
}

// parseWorktrees reads attributes that end with end; an empty one closes an entry. What it does not know it skips.
func parseWorktrees(out, end string) []ListedWorktree {
	var list []ListedWorktree
	for _, attribute := range strings.Split(out, end) {
		key, value, _ := strings.Cut(attribute, " ")
		if key == "worktree" && value != "" {
			list = append(list, ListedWorktree{Path: native(value)})
			continue
		}
		if len(list) == 0 {
			continue
		}
		w := &list[len(list)-1]
		switch key {
		case "HEAD":
			if IsObjectID(value) {
				w.Head = value
			}
		case "branch":
			w.Ref = value
		case "bare":
			w.Bare = true
		case "detached":
			w.Detached = true
		case "locked":
			w.Locked, w.Why = true, value
		case "prunable":
			w.Prunable, w.Why = true, value
		}
	}
	return list
}
