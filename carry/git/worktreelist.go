package git

import (
	"context"
	"fmt"
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
		return parseWorktrees(string(out), "\n")
	}
	if err != nil {
		return nil, err
	}
	return parseWorktrees(string(out), "\x00")
}

// parseWorktrees reads entries whose attributes end with end; an empty one closes an entry.
func parseWorktrees(out, end string) ([]ListedWorktree, error) {
	var list []ListedWorktree
	for out != "" {
		entry, rest, whole := strings.Cut(out, end+end)
		w, ok := listed(entry, end)
		if !whole || !ok {
			return nil, fmt.Errorf("git: worktree list: cannot read %q", short(entry))
		}
		list, out = append(list, w), rest
	}
	return list, nil
}

// listed reads one entry: its path, then "bare", or HEAD and where that is, then remarks. What a later git adds is
// skipped; a git that ends attributes with line ends is an old one, and what is not known there is the rest of a path
// with a line end.
func listed(entry, end string) (w ListedWorktree, ok bool) {
	attributes := strings.Split(entry, end)
	path, ok := strings.CutPrefix(attributes[0], "worktree ")
	if !ok || path == "" {
		return w, false
	}
	w.Path = native(path)
	head := false
	for _, attribute := range attributes[1:] {
		switch key, value, _ := strings.Cut(attribute, " "); {
		case key == "HEAD" && !head && isObject(value):
			head = true
			if IsObjectID(value) {
				w.Head = value
			}
		case key == "branch" && w.Ref == "" && strings.HasPrefix(value, "refs/"):
			w.Ref = value
		case attribute == "bare":
			w.Bare = true
		case attribute == "detached":
			w.Detached = true
		case key == "locked":
			w.Locked, w.Why = true, value
		case key == "prunable":
			w.Prunable, w.Why = true, value
		case end == "\n", key == "HEAD", key == "branch", key == "bare", key == "detached", key == "worktree":
			return w, false
		}
	}
	return w, w.Bare != head && !(w.Detached && w.Ref != "")
}
