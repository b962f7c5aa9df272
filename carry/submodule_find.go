package carry

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// Which submodules are this repository's own is decided by files alone: until that is sure no git is run in one, since
// whoever has written its `.git` or its configuration would choose what that git does.

// submodules finds those that are checked out; why one of them stays is noted in the reading.
func (r *reading) submodules(ctx context.Context, look *lookup, depth int) ([]*submodule, error) {
	var found []*submodule
	for _, e := range r.index.Entries {
		if e.Mode != git.ModeSubmodule {
			continue
		}
		s, err := look.lstat(e.Path)
		if err != nil && !isDenied(err) {
			return nil, err
		}
		if s.kind != folder || isEmptyFolder(look.tree, e.Path) {
			continue // it is not checked out
		}
		sub, why := r.submodule(look, e.Path)
		if why == "" {
			why, err = checkConfig(ctx, sub)
		}
		if err != nil {
			return nil, err
		}
		if why == "" && (depth >= deepest || e.Stage != 0 || slices.ContainsFunc(found, sub.collides)) {
			why = leftSubmodule
		}
		if why != "" {
			r.stay(e.Path, why)
			continue
		}
		found = append(found, sub)
	}
	return found, nil
}

// stay notes that the submodule at a path is left, and why.
func (r *reading) stay(name, why string) {
	if r.staying == nil {
		r.staying = map[string]string{}
	}
	r.staying[name] = why
}

// submodule reads where one is kept; why is "" if it is this repository's own.
func (r *reading) submodule(look *lookup, name string) (sub *submodule, why string) {
	if !safe(name) || !utf8.ValidString(name) {
		return nil, leftSubmodule
	}
	top := filepath.Join(r.from.Path, filepath.FromSlash(name))
	sub = &submodule{path: name, store: name, from: worktree.Worktree{Path: top}}
	dot, err := look.lstat(name + "/.git")
	if err != nil {
		return nil, leftSubmodule
	}
	switch dot.kind {
	case folder: // as git has made them until 1.7.8, and as `git add` of a clone leaves it
		sub.from.GitDir = filepath.Join(top, ".git")
		sub.from.CommonDir = sub.from.GitDir
		if !nothingAt(filepath.Join(sub.from.GitDir, "commondir")) {
			return nil, leftElsewhere
		}
	case file:
		if why := sub.follow(look.tree, r.from); why != "" {
			return nil, why
		}
	case absent:
		return nil, leftSubmodule // files, and no repository
	default:
		return nil, leftElsewhere
	}
	for _, inner := range []string{"objects", "refs"} {
		switch info, err := os.Lstat(filepath.Join(sub.from.CommonDir, inner)); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, leftSubmodule
		case err != nil || !info.IsDir():
			return nil, leftElsewhere
		}
	}
	return sub, sub.readHead()
}

// follow goes where the `.git` file points, which has to be inside the git folders of the worktree that it is in:
// <git folder>/modules/NAME, or <git folder>/modules/NAME/worktrees/ID where somebody has made a linked worktree of it.
func (s *submodule) follow(t *tree, outer worktree.Worktree) (why string) {
	text, err := readSmall(t, s.path+"/.git")
	target, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
	if err != nil || !ok || target == "" {
		return leftSubmodule
	}
	gitDir := filepath.FromSlash(target)
	if !filepath.IsAbs(gitDir) {
		gitDir = filepath.Join(s.from.Path, gitDir)
	}
	gitDir = filepath.Clean(gitDir)
	real, err := filepath.EvalSymlinks(gitDir)
	if errors.Is(err, fs.ErrNotExist) && ours(gitDir, outer) != "" {
		return leftSubmodule // its store is gone
	}
	if err != nil {
		return leftElsewhere
	}
	s.from.GitDir, s.from.CommonDir = real, real
	if link := filepath.Join(real, "commondir"); !nothingAt(link) {
		if why := s.followLinked(link); why != "" {
			return why
		}
	}
	if s.store = ours(s.from.CommonDir, outer); s.store == "" {
		return leftElsewhere
	}
	return ""
}

// followLinked is for a git folder that is a linked worktree's: that worktree has to be this very one.
func (s *submodule) followLinked(link string) (why string) {
	to, err := readPlain(link)
	back, err2 := readPlain(filepath.Join(s.from.GitDir, "gitdir"))
	if err != nil || err2 != nil {
		return leftElsewhere
	}
	if to = filepath.FromSlash(strings.TrimRight(to, "\r\n")); !filepath.IsAbs(to) {
		to = filepath.Join(s.from.GitDir, to)
	}
	if back = filepath.FromSlash(strings.TrimRight(back, "\r\n")); !filepath.IsAbs(back) {
		back = filepath.Join(s.from.GitDir, back)
	}
	entries := filepath.Dir(s.from.GitDir)
	if filepath.Base(entries) != "worktrees" || filepath.Clean(to) != filepath.Dir(entries) ||
		!worktree.SameFile(filepath.Dir(back), s.from.Path) {
		return leftElsewhere
	}
	s.from.CommonDir = filepath.Dir(entries)
	return ""
}

// ours is a store's name among those of a worktree; "" where it is none of them.
func ours(store string, outer worktree.Worktree) string {
	for _, gitDir := range []string{outer.GitDir, outer.CommonDir} {
		if real, err := filepath.EvalSymlinks(gitDir); err == nil {
			gitDir = real
		}
		name, err := filepath.Rel(filepath.Join(gitDir, "modules"), store)
		if err == nil && filepath.IsLocal(name) && name != "." && utf8.ValidString(name) {
			return filepath.ToSlash(name)
		}
	}
	return ""
}

// readHead reads HEAD as a file. A submodule without a commit has nothing to come.
func (s *submodule) readHead() (why string) {
	text, err := readPlain(filepath.Join(s.from.GitDir, "HEAD"))
	if err != nil {
		return leftSubmodule
	}
	if s.head = strings.TrimRight(text, "\r\n"); git.IsObjectID(s.head) {
		s.from.Head, s.from.Detached = s.head, true
		return ""
	}
	branch, ok := strings.CutPrefix(s.head, "ref: refs/heads/")
	if !ok || !git.ValidBranch(branch) {
		return leftSubmodule
	}
	s.from.Branch = branch
	return ""
}

// collides says whether two stores of one worktree would lie in, or over, each other.
func (s *submodule) collides(other *submodule) bool {
	return s.store == other.store || strings.HasPrefix(s.store+"/", other.store+"/") || strings.HasPrefix(other.store+"/", s.store+"/")
}

// checkConfig reads the configuration of a store as a file and gives why it must not be used, "" where it may. It also
// reads the commit: that needs git where refs are packed.
func checkConfig(ctx context.Context, s *submodule) (why string, err error) {
	for _, file := range s.configs() {
		info, err := os.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) && filepath.Base(file) == "config.worktree" {
			continue
		}
		if err != nil || !info.Mode().IsRegular() {
			return leftElsewhere, nil //nolint:nilerr // not a file of git's
		}
		settings, err := git.Settings(ctx, filepath.Dir(s.from.Path), file)
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err != nil {
			return leftSubmodule, nil //nolint:nilerr // git cannot read it either
		}
		for _, set := range settings {
			if why := s.refuses(file, set); why != "" {
				return why, nil
			}
		}
	}
	if s.from.Head == "" {
		if s.from.Head, err = worktree.ReadHead(ctx, s.from); err != nil || s.from.Head == "" {
			return leftSubmodule, ctx.Err() //nolint:nilerr // no commit, or a store that git cannot read
		}
	}
	return "", nil
}

// configs are the files of its configuration.
func (s *submodule) configs() []string {
	return []string{filepath.Join(s.from.CommonDir, "config"), filepath.Join(s.from.GitDir, "config.worktree")}
}

// refuses says why a setting keeps a submodule from coming: it names a program that a checkout or a status runs, another
// file of settings, another place for its files, or a kind of store that is not copied by copying files.
func (s *submodule) refuses(file string, set git.Setting) (why string) {
	section, _, _ := strings.Cut(set.Key, ".")
	switch set.Key {
	case "core.worktree":
		top := filepath.FromSlash(set.Value)
		if !filepath.IsAbs(top) {
			top = filepath.Join(s.from.GitDir, top)
		}
		if filepath.Dir(file) == s.from.GitDir && !worktree.SameFile(top, s.from.Path) { // a linked one does not heed its store's
			return leftElsewhere
		}
		return ""
	case "core.fsmonitor":
		if v := strings.ToLower(set.Value); v == "" || v == "false" || v == "true" {
			return ""
		}
		return leftConfig
	case "core.hookspath", "core.alternaterefscommand":
		return leftConfig
	case "extensions.worktreeconfig", "extensions.noop", "extensions.preciousobjects", "extensions.objectformat":
		return ""
	}
	switch {
	case section == "include", section == "includeif", section == "filter":
		return leftConfig
	case section == "extensions", section == "remote" && strings.HasSuffix(set.Key, ".promisor"):
		return leftSubmodule // a partial clone has not all objects, a reftable is no files
	}
	return ""
}

const smallFile = 64 << 10

// readSmall reads a small regular file below a tree.
func readSmall(t *tree, name string) (string, error) {
	f, err := t.open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, smallFile))
	return string(text), err
}

// readPlain reads a small file that is no link.
func readPlain(name string) (string, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > smallFile {
		return "", &fs.PathError{Op: "read", Path: path.Base(name), Err: fs.ErrInvalid}
	}
	text, err := os.ReadFile(name)
	return string(text), err
}
