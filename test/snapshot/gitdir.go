package snapshot

import (
	"os"
	"path/filepath"
	"strings"
)

// gitFolders gives the private and the shared git folder of a worktree or bare repository; empty where there is none.
func gitFolders(top string) (private, common string) {
	private = filepath.Join(top, ".git")
	if _, err := os.Lstat(private); err != nil {
		private = top // bare?
	} else if text, err := os.ReadFile(private); err == nil {
		private = resolve(top, strings.TrimPrefix(strings.TrimSuffix(string(text), "\n"), "gitdir: "))
	}
	if _, err := os.Lstat(filepath.Join(private, "HEAD")); err != nil {
		return "", ""
	}
	if text, err := os.ReadFile(filepath.Join(private, "commondir")); err == nil {
		return private, resolve(private, strings.TrimSuffix(string(text), "\n"))
	}
	return private, private
}

// nestedWorktrees lists the registered worktrees that lie inside a worktree, relative to it.
func nestedWorktrees(top, common string) []string {
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
		inside, err := filepath.Rel(top, filepath.Dir(place))
		if err == nil && inside != "." && filepath.IsLocal(inside) {
			nested = append(nested, filepath.ToSlash(inside))
		}
	}
	return nested
}

func resolve(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}
