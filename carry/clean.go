package carry

import (
	"context"

	"github.com/sidefork/sidefork/carry/worktree"
)

// Clean refuses a worktree that has changes of its own (targetDirty), as Plan.Against does. nil where it has none.
func Clean(ctx context.Context, w worktree.Worktree) (*Refusal, error) {
	r, err := read(ctx, w, false)
	if err != nil {
		return nil, err
	}
	defer r.close()
	t, err := openTree(w.Path)
	if err != nil {
		return nil, err
	}
	defer t.close()
	dirty, err := dirtyPath(r.status, t)
	if err != nil || dirty == "" {
		return nil, err
	}
	return worktree.Refuse("targetDirty", "path", dirty), nil
}
