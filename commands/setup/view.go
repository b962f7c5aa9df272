package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sidefork/sidefork/carry/git"
)

// View is the files of a workspace, by their path from the top level, with slashes.
type View interface {
	// kinds gives what each of the paths is; one that is not there, or that git ignores, is left out.
	kinds(ctx context.Context, paths []string) (map[string]kind, error)
	// read gives a file's bytes, or the text of a link. errTooBig where there are more than limit.
	read(ctx context.Context, path string, limit int64) ([]byte, error)
}

type kind int

const (
	file kind = iota + 1
	link
	folder
)

var errTooBig = errors.New("setup: the file is too big")

// Disk is the files that lie in a workspace, without those that git ignores: they are nobody's but the user's, and do not
// come along. top is its top level.
func Disk(top string) View { return disk(top) }

type disk string

func (d disk) kinds(ctx context.Context, paths []string) (map[string]kind, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	defer root.Close()
	kinds := map[string]kind{}
	var leaves []string
	for _, p := range paths {
		info, err := root.Lstat(filepath.FromSlash(p))
		if err != nil {
			continue // not there, or out of the workspace: nothing of the repository's
		}
		switch {
		case info.IsDir():
			kinds[p] = folder
		case info.Mode().IsRegular():
			kinds[p], leaves = file, append(leaves, p)
		case info.Mode()&fs.ModeSymlink != 0:
			kinds[p], leaves = link, append(leaves, p)
		}
	}
	kept, err := git.NotIgnored(ctx, string(d), leaves)
	if err != nil {
		return nil, err
	}
	brought := map[string]bool{}
	for _, p := range kept {
		brought[p] = true
	}
	for _, p := range leaves {
		if !brought[p] {
			delete(kinds, p)
		}
	}
	return kinds, nil
}

func (d disk) read(_ context.Context, p string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	defer root.Close()
	p = filepath.FromSlash(p)
	info, err := root.Lstat(p)
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		text, err := root.Readlink(p)
		return []byte(filepath.ToSlash(text)), err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, errTooBig
	}
	from, err := root.Open(p)
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	defer from.Close()
	text, err := io.ReadAll(io.LimitReader(from, limit+1))
	if int64(len(text)) > limit {
		return nil, errTooBig
	}
	return text, err
}

// Tree is the files that a checkout of a commit writes. dir is a workspace of its repository.
func Tree(dir, commit string) View { return tree{dir, commit} }

type tree struct{ dir, commit string }

func (t tree) kinds(ctx context.Context, paths []string) (map[string]kind, error) {
	modes, err := git.ModesOf(ctx, t.dir, t.commit, paths)
	if err != nil {
		return nil, err
	}
	kinds := map[string]kind{}
	for p, mode := range modes {
		switch mode {
		case git.ModeFolder:
			kinds[p] = folder
		case git.ModeLink:
			kinds[p] = link
		case git.ModeFile, git.ModeExecutable:
			kinds[p] = file
		}
	}
	return kinds, nil
}

func (t tree) read(ctx context.Context, p string, limit int64) ([]byte, error) {
	text, err := git.Command{Dir: t.dir}.CheckedOut(ctx, t.commit, p)
	if int64(len(text)) > limit {
		return nil, errTooBig
	}
	return text, err
}
