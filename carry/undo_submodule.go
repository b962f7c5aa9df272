package carry

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// A submodule's store lies in the child's own git folder and goes with that. What is left to do is to look whether
// somebody has worked in it, and to remove its files.

// isIn says whether the step is about a place inside the operation's own child.
func (s *SubmoduleStep) isIn(ws *WorkspaceStep, commonDir string) bool {
	if ws == nil || !git.IsObjectID(s.Base) {
		return false
	}
	below, err := filepath.Rel(string(ws.Path), s.Path)
	if err != nil || !filepath.IsLocal(below) || below == "." || !safe(filepath.ToSlash(below)) {
		return false
	}
	entry, err := filepath.Rel(filepath.Join(commonDir, "worktrees"), s.GitDir)
	if err != nil || !filepath.IsLocal(entry) {
		return false
	}
	parts := strings.SplitN(filepath.ToSlash(entry), "/", 3)
	return len(parts) == 3 && parts[1] == "modules"
}

// submodule is the step of the submodule at a top level; nil where there is none.
func (t *trail) submodule(top string) *SubmoduleStep {
	for _, s := range t.steps {
		if s.Submodule != nil && s.Submodule.Path == top {
			return s.Submodule
		}
	}
	return nil
}

// of is the undo as far as it concerns one top level: the child's, or that of a submodule in it.
func (u undo) of(top string) undo {
	level := u.journal.trail
	level.steps, level.times = nil, nil
	for i, s := range u.journal.steps {
		if s.Carry == nil || s.Carry.Target == top {
			level.steps, level.times = append(level.steps, s), append(level.times, u.journal.times[i])
		}
	}
	u.journal = &journal{trail: level}
	return u
}

// inSubmodule says whether a path below a top level is, or lies in, a submodule of it: that is looked at on its own.
func (u undo) inSubmodule(top, full string) bool {
	return slices.ContainsFunc(u.journal.steps, func(s Step) bool {
		return s.Submodule != nil && isBelow(top, s.Submodule.Path) && (full == s.Submodule.Path || isBelow(s.Submodule.Path, full))
	})
}

func isBelow(top, path string) bool {
	return strings.HasPrefix(path, top+string(filepath.Separator))
}

// lookInside gives what is in the child's submodules that the operation did not put there.
func (u undo) lookInside(ctx context.Context) (foreign []string, err error) {
	if u.emptied() {
		return nil, nil
	}
	for _, step := range u.journal.steps {
		s := step.Submodule
		if s == nil || nothingAt(s.Path) {
			continue
		}
		if foreign, err = u.lookAtSubmodule(ctx, s); err != nil || len(foreign) > 0 {
			return foreign, err
		}
	}
	return nil, nil
}

func (u undo) lookAtSubmodule(ctx context.Context, s *SubmoduleStep) ([]string, error) {
	link := filepath.Join(s.Path, ".git")
	if nothingAt(link) { // not yet, or not any more
		return u.filesOf(s.Path)
	}
	if !pointsTo(link, s.GitDir) {
		return []string{link}, nil
	}
	if nothingAt(filepath.Join(s.GitDir, "HEAD")) { // its files have gone before its store
		return u.filesOf(s.Path)
	}
	if s.usedByHand() {
		return []string{s.Path}, nil
	}
	level := u.of(s.Path)
	level.common, level.journal.entry = s.GitDir, "" // held against the commit's tree: it may be half made
	return level.lookAtHalf(ctx, &WorkspaceStep{Path: []byte(s.Path), Base: s.Base}, filepath.Join(s.GitDir, "index"))
}

// filesOf lists the files of a submodule that is no repository now, less those of submodules in it.
func (u undo) filesOf(top string) ([]string, error) {
	found, err := files(top)
	return slices.DeleteFunc(found, func(name string) bool {
		return filepath.Base(name) == ".git" || u.inSubmodule(top, name)
	}), err
}

// usedByHand says whether the store shows that somebody has worked in the submodule: another HEAD, or a line in a reflog,
// of which the operation writes none.
func (s *SubmoduleStep) usedByHand() bool {
	head, err := os.ReadFile(filepath.Join(s.GitDir, "HEAD"))
	if err == nil && strings.TrimSpace(string(head)) != strings.TrimSpace(s.Head) {
		return true
	}
	used := false
	_ = filepath.WalkDir(filepath.Join(s.GitDir, "logs"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // there is none
		}
		log, _ := os.ReadFile(name)
		for line := range strings.Lines(string(log)) {
			if ids := strings.Fields(line); len(ids) > 1 && ids[1] != s.Base && git.IsObjectID(ids[1]) {
				used = true
				return fs.SkipAll
			}
		}
		return nil
	})
	return used
}

// clearSubmodules removes what was checked out and carried into the child's submodules, the innermost first.
func (u undo) clearSubmodules(ctx context.Context) error {
	for _, step := range slices.Backward(u.journal.steps) {
		s := step.Submodule
		if s == nil || nothingAt(filepath.Join(s.Path, ".git")) {
			continue
		}
		root, err := os.OpenRoot(s.Path)
		if err != nil {
			return &Stuck{Paths: []string{s.Path}, Err: err}
		}
		err = u.of(s.Path).clearLevel(ctx, git.Bare(s.GitDir, s.Path, ""), root, s.Path, s.Base)
		root.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
