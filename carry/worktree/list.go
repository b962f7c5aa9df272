package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// List gives all worktrees of the repository around dir, the main one first (a bare repository is its own), then in
// git's order: two git processes. Refusals: those of Open.
func List(ctx context.Context, dir string) ([]Worktree, error) {
	here, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return here.Siblings(ctx)
}

// Siblings gives all worktrees of an open one's repository, itself among them, as List does: one git process.
func (here Worktree) Siblings(ctx context.Context) ([]Worktree, error) {
	var extra []string
	if here.Bare {
		extra = []string{"safe.bareRepository=all"} // it lists names and runs nothing
	}
	listed, err := git.Worktrees(ctx, here.Path, extra...)
	if err != nil {
		return nil, err
	}
	entries := Registered(here.CommonDir)
	var list []Worktree
	for i, l := range listed {
		w := Worktree{
			Path: l.Path, CommonDir: here.CommonDir, Head: l.Head, Branch: strings.TrimPrefix(l.Ref, "refs/heads/"), Main: i == 0, Bare: l.Bare,
			Detached: l.Detached, Locked: l.Locked, Missing: l.Prunable, Why: l.Why,
		}
		if w.Main {
			w.GitDir = here.CommonDir
			w.Path = mainPath(here, l)
			w.Bare = w.Bare || here.Bare
		} else {
			w.GitDir = entries[l.Path]
		}
		if !w.Bare && !exists(filepath.Join(w.Path, ".git")) {
			w.Missing = true // also on a disk that is not there now, which git does not call prunable while it is locked
		}
		w.Archived = w.Missing && !w.Main && w.GitDir != "" && exists(filepath.Join(w.GitDir, ArchiveFile))
		list = append(list, w)
	}
	return list, nil
}

// Family is Siblings for those who need to know which worktrees there are, not at which commit: no process where the main
// checkout asks.
func (here Worktree) Family(ctx context.Context) ([]Worktree, error) {
	if !here.Main || here.Bare {
		return here.Siblings(ctx)
	}
	list := []Worktree{here}
	for top, gitDir := range Registered(here.CommonDir) {
		list = append(list, Worktree{Path: top, GitDir: gitDir, CommonDir: here.CommonDir})
	}
	return list, nil
}

// mainPath is where the main checkout is. git says <common> itself where that does not end in /.git (a submodule's, a
// separate git folder): core.worktree of the shared configuration knows better.
func mainPath(here Worktree, l git.ListedWorktree) string {
	if here.Main {
		return here.Path
	}
	if l.Bare || l.Path != here.CommonDir {
		return l.Path
	}
	if top := sharedConfig(here.CommonDir)["core.worktree"]; top != "" {
		if !filepath.IsAbs(top) {
			top = filepath.Join(here.CommonDir, filepath.FromSlash(top))
		}
		return filepath.Clean(top)
	}
	return l.Path
}

// Registered gives the linked worktrees that a repository knows, top level to git folder, as its files say
// (<common>/worktrees/<id>/gitdir), missing ones too. It starts no process.
func Registered(commonDir string) map[string]string {
	all := filepath.Join(commonDir, "worktrees")
	ids, _ := os.ReadDir(all)
	entries := make(map[string]string, len(ids))
	for _, id := range ids {
		dir := filepath.Join(all, id.Name())
		if top, ok := registeredAt(dir); ok {
			entries[top] = dir
		}
	}
	return entries
}

// registeredAt is the top level that an entry of <common>/worktrees stands for.
func registeredAt(entry string) (string, bool) {
	file, err := os.ReadFile(filepath.Join(entry, "gitdir"))
	if err != nil {
		return "", false
	}
	link := filepath.FromSlash(strings.TrimRight(string(file), "\r\n\t ")) // as git reads it
	if !filepath.IsAbs(link) {                                             // worktree.useRelativePaths, git 2.48
		link = filepath.Join(entry, link)
	}
	if filepath.Base(link) != ".git" {
		return "", false
	}
	return filepath.Dir(link), true
}
