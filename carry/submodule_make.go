package carry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// make gives the child its own store of the submodule, and checks out there what is checked out in the parent. What is
// made lies in the child and in its git folder alone. Refusals: createFailed, noSpace, parentMoved.
func (s *submodule) make(ctx context.Context, child worktree.Worktree, o recorder) (worktree.Worktree, error) {
	top := filepath.Join(child.Path, filepath.FromSlash(s.path))
	gitDir := filepath.Join(child.GitDir, "modules", filepath.FromSlash(s.store))
	step := &SubmoduleStep{Path: top, GitDir: gitDir, Base: s.from.Head, Head: s.head}
	if err := o.Will(Step{Submodule: step}); err != nil {
		return worktree.Worktree{}, fmt.Errorf("carry: record what will be written: %w", err)
	}
	if err := s.makeStore(ctx, gitDir, top); err != nil {
		return worktree.Worktree{}, failed(ctx, err)
	}
	s.plan.share = func() error { return s.bringObjects(ctx, gitDir) }
	if err := s.checkOut(ctx, child, gitDir, o); err != nil {
		return worktree.Worktree{}, failed(ctx, err)
	}
	made := worktree.Worktree{
		Path: top, GitDir: gitDir, CommonDir: gitDir, Main: true,
		Head: s.from.Head, Branch: s.from.Branch, Detached: s.from.Detached,
	}
	head, err := worktree.ReadHead(ctx, made)
	if err != nil {
		return worktree.Worktree{}, failed(ctx, err)
	}
	if head != s.from.Head { // its branch was moved before its store was copied
		return worktree.Worktree{}, worktree.Refuse("parentMoved")
	}
	return made, nil
}

// makeStore copies the store. Its HEAD comes last: without it git takes the folder for no repository.
func (s *submodule) makeStore(ctx context.Context, gitDir, top string) error {
	if !nothingAt(gitDir) {
		return &fs.PathError{Op: "make", Path: gitDir, Err: fs.ErrExist}
	}
	if err := os.MkdirAll(gitDir, 0o755); err != nil {
		return err
	}
	if err := s.bringObjects(ctx, gitDir); err != nil {
		return err
	}
	c := copier{ctx: ctx, to: gitDir}
	sparse := filepath.Join("info", "sparse-checkout")
	if s.from.GitDir != s.from.CommonDir { // a linked worktree has its own
		c.copy(s.from.GitDir, sparse)
		c.without = sparse
	}
	for _, name := range []string{"config", "packed-refs", "shallow", "refs", "info", "hooks"} {
		c.copy(s.from.CommonDir, name)
	}
	c.copy(s.from.GitDir, "config.worktree")
	if c.err != nil {
		return c.err
	}
	if err := s.pointStore(ctx, gitDir, top); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(gitDir, "HEAD"), []byte(s.head+"\n"), 0o644)
}

func (s *submodule) bringObjects(ctx context.Context, gitDir string) error {
	return bringObjects(ctx, s.from.CommonDir, gitDir, isBelow(s.from.Path, s.from.CommonDir))
}

// pointStore says in the store where its files are, as git does for a submodule's.
func (s *submodule) pointStore(ctx context.Context, gitDir, top string) error {
	to, err := filepath.Rel(gitDir, top)
	if err != nil { // another volume
		to = top
	}
	for _, file := range []string{"config.worktree", "config"} {
		file = filepath.Join(gitDir, file)
		if nothingAt(file) {
			continue
		}
		settings, err := git.Settings(ctx, filepath.Dir(top), file)
		if err != nil {
			return err
		}
		says := filepath.Base(file) == "config"
		for _, set := range settings {
			says = says || set.Key == "core.worktree"
		}
		if says {
			return git.Command{Dir: filepath.Dir(top), Args: git.SetArgs(file, "core.worktree", filepath.ToSlash(to))}.Run(ctx)
		}
	}
	return nil
}

// checkOut makes the submodule's folder a worktree of its store and fills it. git is asked for nothing before the folder
// names the store, and could go nowhere for an object.
func (s *submodule) checkOut(ctx context.Context, child worktree.Worktree, gitDir string, o recorder) error {
	t, err := openTree(child.Path)
	if err != nil {
		return err
	}
	defer t.close()
	if err := t.root.MkdirAll(s.path, 0o755); err != nil {
		return err
	}
	if real, err := t.lookup().real(s.path); err != nil || !real || t.holds(s.path) {
		return errors.Join(err, &fs.PathError{Op: "fill", Path: s.path, Err: fs.ErrExist})
	}
	top := filepath.Join(child.Path, filepath.FromSlash(s.path))
	to, err := filepath.Rel(top, gitDir)
	if err != nil {
		to = gitDir
	}
	link, err := t.root.OpenFile(path.Join(s.path, ".git"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = link.WriteString("gitdir: " + filepath.ToSlash(to) + "\n")
	if err = errors.Join(err, link.Close()); err != nil {
		return err
	}
	fill := git.Command{Dir: top, Args: git.CheckOutArgs(), Config: git.NoTransport()}
	if held, ok := o.(interface{ held() *os.File }); ok {
		fill.Held = held.held()
	}
	return fill.Run(ctx)
}

// held is what a git that writes for a long time has to keep open: while it runs the operation is not dead.
func (o *Operation) held() *os.File { return o.lock.file }

// commands are what bringing the submodule runs, for the reader of a plan: from the folder that the outer ones run in.
func (s *submodule) commands() [][]string {
	var list [][]string
	inside := s.plan.Argv
	if s.to == nil {
		list = append(list, git.Command{Args: git.SetArgs("modules/"+s.store+"/config", "core.worktree", s.path)}.Argv())
		inside = append([][]string{git.Command{Args: git.CheckOutArgs(), Config: git.NoTransport()}.Argv()}, inside...)
	}
	for _, argv := range inside {
		list = append(list, slices.Concat(argv[:1], []string{"-C", s.path}, argv[1:]))
	}
	return list
}

// copier copies files and folders of a store. A link is no file of git's there, and is not followed.
type copier struct {
	ctx     context.Context
	to      string
	without string
	err     error
}

func (c *copier) copy(from, name string) {
	if c.err == nil {
		c.err = c.copyOne(from, name)
	}
}

func (c *copier) copyOne(from, name string) error {
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	source, target := filepath.Join(from, name), filepath.Join(c.to, name)
	info, err := os.Lstat(source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case info.IsDir():
		entries, err := os.ReadDir(source)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		for _, e := range entries {
			if err := c.copyOne(from, filepath.Join(name, e.Name())); err != nil {
				return err
			}
		}
	case info.Mode().IsRegular() && !leaveInStore(name) && name != c.without:
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := copyFile(source, target); err != nil && !errors.Is(err, fs.ErrNotExist) { // a ref may just have been packed
			return err
		}
	}
	return nil
}

// leaveInStore says of a file of a store that it is not a part of its state.
func leaveInStore(name string) bool {
	base := filepath.Base(name)
	return strings.HasSuffix(base, ".lock") || strings.HasSuffix(base, ".sample") || strings.HasPrefix(base, "tmp_")
}
