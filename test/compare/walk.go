package compare

import (
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// node is one thing on the disk, by lstat.
type node struct {
	mode  fs.FileMode
	info  fs.FileInfo
	link  string
	empty bool // a folder without entries
	err   error
}

// tree maps paths relative to a top level, with slashes, to what is there.
type tree map[string]node

// walk reads everything below a folder. It opens folder by folder, so that no path becomes too long for the system.
func (t tree) walk(folder *os.Root, prefix string, skip func(string) bool) error {
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name, path := entry.Name(), prefix+entry.Name()
		if skip(path) {
			continue
		}
		info, err := folder.Lstat(name)
		if err != nil {
			return err
		}
		n := node{mode: info.Mode(), info: info}
		switch {
		case n.mode&fs.ModeSymlink != 0:
			n.link, n.err = folder.Readlink(name)
		case n.mode.IsDir():
			n.empty, n.err = t.below(folder, name, path, skip)
		}
		t[path] = n
	}
	return nil
}

func (t tree) below(folder *os.Root, name, path string, skip func(string) bool) (empty bool, err error) {
	inner, err := folder.OpenRoot(name)
	if err != nil {
		return false, err
	}
	defer inner.Close()
	before := len(t)
	err = t.walk(inner, path+"/", skip)
	return err == nil && len(t) == before, err
}

func special(mode fs.FileMode) bool {
	return mode&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeCharDevice|fs.ModeIrregular) != 0
}

// above yields the folders that a path lies in, the nearest first.
func above(path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := strings.LastIndexByte(path, '/'); at > 0; at = strings.LastIndexByte(path, '/') {
			path = path[:at]
			if !yield(path) {
				return
			}
		}
	}
}

// dropIgnored takes out of both trees what the parent's rules ignore.
func (c *comparison) dropIgnored(parent string, before, after tree) error {
	ask := map[string]bool{}
	for _, side := range []tree{before, after} {
		for path, n := range side {
			// git refuses to judge a path behind a link; it is a difference anyway
			if !n.mode.IsDir() && !c.tracked[path] && !c.base[path] && !behindLink(path, before) {
				ask[path] = true
			}
		}
	}
	ignored, err := c.git.ignored(parent, maps.Keys(ask))
	for _, path := range ignored {
		delete(before, path)
		delete(after, path)
	}
	return err
}

func behindLink(path string, side tree) bool {
	for folder := range above(path) {
		if side[folder].mode&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// nestedWorktrees lists the registered worktrees that lie inside a worktree, relative to it. It reads git's files itself:
// `git worktree list -z` is younger than the oldest git that counts.
func nestedWorktrees(top string) ([]string, error) {
	real, err := filepath.EvalSymlinks(top)
	if err != nil {
		return nil, err
	}
	private := filepath.Join(real, ".git")
	if text, err := os.ReadFile(private); err == nil {
		private = resolve(real, strings.TrimPrefix(strings.TrimSpace(string(text)), "gitdir: "))
	}
	common := private
	if text, err := os.ReadFile(filepath.Join(private, "commondir")); err == nil {
		common = resolve(private, strings.TrimSpace(string(text)))
	}
	places := []string{common}
	entries, _ := os.ReadDir(filepath.Join(common, "worktrees"))
	for _, entry := range entries {
		admin := filepath.Join(common, "worktrees", entry.Name())
		if text, err := os.ReadFile(filepath.Join(admin, "gitdir")); err == nil {
			places = append(places, resolve(admin, strings.TrimSuffix(string(text), "\n")))
		}
	}
	var nested []string
	for _, place := range places {
		inside, err := filepath.Rel(real, filepath.Dir(place))
		if err == nil && inside != "." && filepath.IsLocal(inside) {
			nested = append(nested, filepath.ToSlash(inside))
		}
	}
	return nested, nil
}

func resolve(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}
