package git

import (
	"context"
	"slices"
	"strings"
)

// NotIgnored gives those of the paths, from the top level dir of a worktree, that git tracks or would add: what a repository can bring along, and
// not what lies there for this user alone.
func NotIgnored(ctx context.Context, dir string, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := []string{"ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard", "--"}
	return Command{Dir: dir, Args: append(args, paths...)}.paths(ctx)
}

// ModesOf gives the modes of those of the paths that a commit has; a folder has ModeFolder.
func ModesOf(ctx context.Context, dir, commit string, paths []string) (map[string]uint32, error) {
	modes := map[string]uint32{}
	for some := range slices.Chunk(paths, 500) { // a command line has an end
		args := []string{"ls-tree", "-z", "-t", "--full-tree", commit, "--"}
		args = append(args, some...)
		records, err := Command{Dir: dir, Args: args}.paths(ctx)
		if err != nil {
			return nil, err
		}
		for _, record := range records { // "100644 blob <object>\tpath"
			head, path, _ := strings.Cut(record, "\t")
			kind, _, _ := strings.Cut(head, " ")
			if m, ok := mode(kind); ok {
				modes[path] = m
			}
		}
	}
	return modes, nil
}

// ModeFolder is the mode of a folder in a tree.
const ModeFolder = 0o040000
