package worktree

import (
	"context"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// Upstream is what a published branch follows.
type Upstream struct {
	Tracking string // the remote-tracking branch, short: "origin/feat/x"
	Branch   string // its name on the remote: "feat/x"
}

// Published gives what a worktree's branch follows on a remote; nil where it follows nothing there, or where its
// remote-tracking branch is not the usual one or is gone. One git process for a branch that the shared configuration says
// follows something, else none.
func (w Worktree) Published(ctx context.Context) (*Upstream, error) {
	if w.Branch == "" {
		return nil, nil
	}
	config, section := sharedConfig(w.CommonDir), `branch "`+w.Branch+`"`
	remote, merge := config[section+".remote"], config[section+".merge"]
	name, isBranch := strings.CutPrefix(merge, "refs/heads/")
	if remote == "" || remote == "." || !isBranch || !git.ValidBranch(name) {
		return nil, nil
	}
	tracking := remote + "/" + name
	follows, err := git.Follows(ctx, git.Command{Dir: w.Path}, w.Branch, "refs/remotes/"+tracking)
	if err != nil || !follows {
		return nil, err
	}
	return &Upstream{Tracking: tracking, Branch: name}, nil
}
