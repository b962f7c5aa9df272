package carry

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// CreateRequest asks for a child: a new branch at Base (a whole object id), checked out at Path (absolute). Like is what is
// to be carried into it: the parent's clean files are then copied instead of checked out. nil: git checks out all of them.
// Turn is held while git makes the worktree; nil for a child alone. Follows is the published branch that editors are to
// compare the child with; nil where its parent's is not published.
type CreateRequest struct {
	Path, Branch, Base string
	Like               *Plan
	Turn               *sync.Mutex
	Follows            *worktree.Upstream
}

// Argv is the git commands that Create runs to make the branch and the worktree, for the reader of a plan.
func (c CreateRequest) Argv() [][]string {
	list := [][]string{git.Command{Args: git.CreateBranchArgs(c.Branch, c.Base, branchMessage("ID"))}.Argv(), c.addWorktree(c.Path).Argv()}
	if c.Like.populates() && c.Like.leavesToGit() {
		list = append(list, git.Command{Args: git.CheckOutPathsArgs()}.Argv())
	}
	return list
}

func (c CreateRequest) addWorktree(path string) git.Command {
	args := []string{"worktree", "add", "-q"}
	if c.Like.populates() {
		args = append(args, "--no-checkout")
	}
	return git.Command{Args: append(args, "--", path, c.Branch)}
}

// Create makes the branch and the worktree, without running hooks, and proves that git acts on the child when it is run
// in it, that its HEAD is the branch and the branch is at Base. Whatever it returns, RollBack takes it back.
// Refusals: those of worktree.CheckFolder (nothing was written), nameTaken, notItself, noSpace, createFailed (with git's
// words).
func (o *Operation) Create(ctx context.Context, c CreateRequest) (worktree.Worktree, error) {
	if !git.ValidBranch(c.Branch) {
		return worktree.Worktree{}, worktree.Refuse("invalidName", "name", c.Branch)
	}
	if !git.IsObjectID(c.Base) {
		return worktree.Worktree{}, worktree.Refuse("refUnknown", "ref", c.Base)
	}
	path, err := o.addWorktree(ctx, c)
	if err != nil {
		return worktree.Worktree{}, err
	}
	child, hookFile, filled, err := c.open(ctx, path)
	if err != nil {
		return worktree.Worktree{}, failed(ctx, err)
	}
	switch {
	case !worktree.SameFile(child.Path, path) || child.Main || child.CommonDir != o.source.CommonDir:
		return worktree.Worktree{}, worktree.Refuse("notItself", "path", child.Path)
	case child.Head != c.Base || child.Branch != c.Branch:
		return worktree.Worktree{}, cannotCreate(errors.New("the child is at " + child.Branch + " " + child.Head))
	case child.Locked: // git takes its lock away last, and passes over a disk that does not let it
		return worktree.Worktree{}, cannotCreate(errors.New("git has left the child locked: " + child.Why))
	}
	if filled != nil {
		if err := filled.checkOut(ctx, child, o.lock.file); err != nil {
			return worktree.Worktree{}, failed(ctx, err)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.journal.say(said{What: saidMade, Entry: exact(filepath.Base(child.GitDir))}, false); err != nil {
		return worktree.Worktree{}, cannotCreate(err)
	}
	o.hookFile = hookFile
	return child, nil
}

// addWorktree has git make the branch and the worktree, in turn with whoever else has one made in this repository, and
// gives its physical path.
func (o *Operation) addWorktree(ctx context.Context, c CreateRequest) (path string, err error) {
	if c.Turn != nil {
		c.Turn.Lock()
		defer c.Turn.Unlock()
	}
	common := o.source.CommonDir
	behind, err := waitLock(ctx, worktreesLock(common))
	if err != nil {
		return "", err
	}
	defer behind.release()
	if no := worktree.CheckFolder(c.Path, o.source); no != nil {
		return "", no
	}
	if path, err = worktree.Physical(c.Path); err != nil {
		return "", cannotCreate(err)
	}
	// A ref that leads nowhere, or that git cannot read, is no branch to git, which puts its own over it.
	if ref := filepath.Join(common, "refs", "heads", filepath.FromSlash(c.Branch)); isFile(ref) || isLink(ref) {
		return "", taken(c.Branch)
	}
	step := stepFor(common, path, c)
	if o.before != nil {
		step.Folders, step.GitFolders = o.before.Folders, o.before.GitFolders
	}
	if err := o.Will(Step{Workspace: step}); err != nil {
		return "", cannotCreate(err)
	}
	// The branch is made by itself, with the operation's name in its reflog: `worktree add -b` leaves a branch behind
	// when it fails, and nothing would tell whose it is.
	at := git.Command{Dir: o.source.Path, Held: o.lock.file}
	if err := git.CreateBranch(ctx, at, c.Branch, c.Base, branchMessage(o.ID)); err != nil {
		if oid, e := git.BranchAt(ctx, git.Command{Dir: o.source.Path}, c.Branch); e == nil && oid != "" {
			return "", taken(c.Branch)
		}
		return "", failed(ctx, err)
	}
	// It is for display alone: a configuration that is locked, or cannot be written, stays as it is.
	if step.Config != "" && git.AppendConfig(ctx, filepath.Join(common, "config"), configFile(common, o.ID), step.Config) != nil && ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	add := c.addWorktree(path)
	add.Dir, add.Held = at.Dir, at.Held
	if err := add.Run(ctx); err != nil {
		return "", failed(ctx, err)
	}
	return path, nil
}

// open asks git about the child while its files are copied.
func (c CreateRequest) open(ctx context.Context, path string) (child worktree.Worktree, hookFile string, filled *populating, err error) {
	g, gctx := errgroup.WithContext(ctx)
	if c.Like.populates() {
		g.Go(func() (err error) { filled, err = c.Like.fill(gctx, path); return err })
	}
	g.Go(func() (err error) { child, hookFile, err = worktree.OpenWithHook(gctx, path); return err })
	err = g.Wait()
	return child, hookFile, filled, err
}

func taken(branch string) *Refusal {
	return worktree.Refuse("nameTaken", "name", branch, "suggestion", branch+"-2")
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// branchMessage is what the branch's first reflog line says: by it an undo knows its own branch.
func branchMessage(id string) string { return "sidefork: fork " + id }

// stepFor looks at what is there before the first write.
func stepFor(common, path string, c CreateRequest) *WorkspaceStep {
	ws := &WorkspaceStep{Path: []byte(path), Branch: c.Branch, Base: c.Base, Existed: !nothingAt(path), Reflog: isFile(reflogFile(common, c.Branch))}
	for at := filepath.Dir(path); nothingAt(at); at = filepath.Dir(at) {
		ws.Folders = append(ws.Folders, []byte(at))
	}
	slices.Reverse(ws.Folders)
	ws.Config = c.mergeBase(common)
	candidates := []string{"worktrees", "logs", "logs/refs", "logs/refs/heads"}
	for i := range len(c.Branch) {
		if c.Branch[i] == '/' {
			candidates = append(candidates, "refs/heads/"+c.Branch[:i], "logs/refs/heads/"+c.Branch[:i])
		}
	}
	for _, folder := range candidates {
		if nothingAt(filepath.Join(common, filepath.FromSlash(folder))) {
			ws.GitFolders = append(ws.GitFolders, folder)
		}
	}
	entries, _ := os.ReadDir(filepath.Join(common, "worktrees"))
	for _, e := range entries {
		ws.Entries = append(ws.Entries, exact(e.Name()))
	}
	return ws
}

// mergeBase is the child's section of the shared configuration, by which VS Code and gh know what to compare it with. git
// removes it with the branch.
func (c CreateRequest) mergeBase(common string) string {
	if c.Follows == nil {
		return ""
	}
	section := git.ConfigSection("branch", c.Branch, "vscode-merge-base", c.Follows.Tracking, "gh-merge-base", c.Follows.Branch)
	old, err := os.ReadFile(filepath.Join(common, "config"))
	if err != nil || section == "" {
		return ""
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		return "\n" + section
	}
	return section
}

// ownConfig says whether the step's part of the configuration, if any, is its branch's section.
func (ws *WorkspaceStep) ownConfig() bool {
	return ws.Config == "" || strings.HasPrefix(strings.TrimPrefix(ws.Config, "\n"), git.ConfigSection("branch", ws.Branch)+"\t")
}

// configFile is the configuration that is about to take the old one's place.
func configFile(commonDir, id string) string {
	return filepath.Join(operationsFolder(commonDir), id+".config")
}

// failed is what git's failure means: the caller's cancelling, a refusal of ours, or that git could not do it.
func failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if no, ok := errors.AsType[*Refusal](err); ok {
		if no.Code == "notItself" {
			return no
		}
		err = errors.New(no.Code + ": " + no.Detail)
	}
	no := cannotCreate(err)
	if g, ok := errors.AsType[*git.Error](err); ok {
		no.Detail = strings.TrimSpace(g.Stderr)
	}
	return no
}

// nothingAt says whether a path is free.
func nothingAt(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
