package git

import (
	"bytes"
	"context"
	"strings"
)

// TreePaths lists the paths of a commit's tree: files, links and submodules, not folders.
func TreePaths(ctx context.Context, c Command, commit string) ([]string, error) {
	c.Args = []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", commit}
	return c.paths(ctx)
}

// StatusPath is a path that is not as HEAD has it.
type StatusPath struct {
	Path   string
	Staged bool // its index entry is not HEAD's
}

// StatusPaths lists every path of the worktree at dir that is not as its HEAD has it and git's index says: changed,
// staged, untracked and ignored ones, whatever the repository's settings would hide. ignore is what of submodules is not
// looked at ("none", or "dirty": what is in them).
func StatusPaths(ctx context.Context, dir, ignore string) ([]StatusPath, error) {
	c := Command{
		Dir: dir, Config: []string{"status.branch=false", "status.renames=false", "status.aheadBehind=false", "core.ignoreStat=false"},
		Args: []string{"status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=traditional", "--ignore-submodules=" + ignore},
	}
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	var paths []StatusPath
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		if len(entry) > 3 { // index, disk, a blank, the path
			paths = append(paths, StatusPath{string(entry[3:]), !bytes.ContainsAny(entry[:1], " ?!")})
		}
	}
	return paths, nil
}

// Bare is where and how to ask about a worktree whose own git folder may be half made or point elsewhere: the
// repository's shared git folder and the worktree's files, with a private index.
func Bare(commonDir, topLevel, index string) Command {
	c := Command{Dir: commonDir, Config: []string{"safe.bareRepository=all"}, Index: index}
	if topLevel != "" {
		c.Dir = topLevel
		c.before = []string{"--git-dir=" + commonDir, "--work-tree=" + topLevel}
	}
	return c
}

// ReadTree fills the command's private index with a commit's tree.
func (c Command) ReadTree(ctx context.Context, commit string) error {
	c.Args = []string{"read-tree", commit}
	return c.Run(ctx)
}

// DifferentPaths lists the paths whose file is not what the index has. Every file is read: a fresh index knows no times.
func (c Command) DifferentPaths(ctx context.Context) ([]string, error) {
	c.Args = []string{"update-index", "-q", "--really-refresh"}
	if err := c.Run(ctx); ExitStatus(err) != 0 && ExitStatus(err) != 1 { // 1: some are different
		return nil, err
	}
	c.Args = []string{"diff-files", "-z", "--name-only", "--no-ext-diff", "--ignore-submodules=dirty"}
	return c.paths(ctx)
}

// StagedPaths lists the paths whose entry in the index is not the commit's.
func (c Command) StagedPaths(ctx context.Context, commit string) ([]string, error) {
	c.Args = []string{"diff-index", "--cached", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", commit, "--"}
	return c.paths(ctx)
}

// UnknownPaths lists the files that the index does not have, ignored ones too.
func (c Command) UnknownPaths(ctx context.Context) ([]string, error) {
	c.Args = []string{"ls-files", "-z", "--others"}
	return c.paths(ctx)
}

// CheckedOut gives the bytes that a checkout of the path would write.
func (c Command) CheckedOut(ctx context.Context, commit, path string) ([]byte, error) {
	c.Args = []string{"cat-file", "--filters", commit + ":" + path}
	return c.Output(ctx)
}

// Has says whether a commit has the path.
func (c Command) Has(ctx context.Context, commit, path string) (bool, error) {
	c.Args = []string{"ls-tree", "-z", "--full-tree", "--name-only", commit, "--", path}
	found, err := c.paths(ctx)
	return len(found) > 0, err
}

// ModeOf is the mode that a commit has for a path; 0 where it has none.
func (c Command) ModeOf(ctx context.Context, commit, path string) (uint32, error) {
	c.Args = []string{"ls-tree", "-z", "--full-tree", commit, "--", path}
	out, err := c.Output(ctx)
	if err != nil || len(out) < len("100644 ") {
		return 0, err
	}
	m, _ := mode(string(out[:6]))
	return m, nil
}

func (c Command) paths(ctx context.Context) ([]string, error) {
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}
