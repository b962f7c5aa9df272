package commands

import (
	"context"
	"strconv"
	"unicode/utf8"

	"github.com/sidefork/sidefork/carry/worktree"
)

// open is worktree.Open for a workspace that a client asks about: one whose path JSON cannot hold is refused, also where
// a link with a plain name leads to it, since every answer would name another folder.
func open(ctx context.Context, path string) (worktree.Worktree, error) {
	w, err := worktree.Open(ctx, path)
	if err != nil {
		return w, err
	}
	return w, ExactPath(w.Path)
}

// ExactPath refuses a path that JSON cannot hold.
func ExactPath(path string) error {
	if utf8.ValidString(path) {
		return nil
	}
	return refuse("pathNotUTF8", "path", strconv.Quote(path))
}
