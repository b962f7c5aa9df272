package carry

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// look gives what is in the child, on its branch or in its git folder that the operation did not put there: somebody
// has worked in it, and it must stay. Empty: it may go.
func (u undo) look(ctx context.Context, ws *WorkspaceStep) (foreign []string, err error) {
	if foreign, err = u.of(string(ws.Path)).lookAtLevel(ctx, ws); err != nil || len(foreign) > 0 {
		return foreign, err
	}
	return u.lookInside(ctx)
}

// lookAtLevel is look without the child's submodules.
func (u undo) lookAtLevel(ctx context.Context, ws *WorkspaceStep) (foreign []string, err error) {
	moved, err := u.branchMoved(ctx, ws)
	if err != nil || moved {
		return []string{"refs/heads/" + ws.Branch}, err
	}
	top := string(ws.Path)
	if elsewhere := u.checkedOutElsewhere(ws); elsewhere != "" {
		return []string{elsewhere}, nil
	}
	if nothingAt(top) {
		return nil, nil
	}
	if nothingAt(filepath.Join(top, ".git")) { // not yet, not any more, or not ours
		return files(top)
	}
	entry := u.entry(ws)
	if entry == "" || !pointsTo(filepath.Join(top, ".git"), filepath.Join(u.common, "worktrees", entry)) {
		return []string{filepath.Join(top, ".git")}, nil
	}
	if u.journal.entry == "" || u.journal.undoing {
		if usedByHand(filepath.Join(u.common, "worktrees", entry), ws) {
			return []string{top}, nil
		}
		return u.lookAtHalf(ctx, ws, filepath.Join(u.common, "worktrees", entry, "index"))
	}
	child, err := worktree.Open(ctx, top)
	if err != nil {
		return []string{top}, err
	}
	if !worktree.SameFile(child.Path, top) || child.Head != ws.Base || child.Branch != ws.Branch || child.Locked || child.Eligible() != nil {
		return []string{top}, nil
	}
	log, err := git.RefLog(ctx, git.Command{Dir: top}, "HEAD")
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(log, func(e git.LogEntry) bool { return e.New != ws.Base }) {
		return []string{top}, nil // a commit was made and left again: only this reflog knows it
	}
	if u.emptied() {
		return nil, nil
	}
	paths, err := git.StatusPaths(ctx, top, "dirty") // lookInside looks into submodules
	if err != nil {
		return nil, err
	}
	foreign, err = u.judge(ctx, ws, paths, git.Command{Dir: top})
	if err != nil || len(foreign) > 0 || !u.knowsEntries() {
		return foreign, err
	}
	return u.lookAtEntries(ctx, git.Command{Dir: top}, ws.Base, top)
}

// checkedOutElsewhere is another worktree that has the operation's branch checked out: the child was moved, or somebody
// has switched to it.
func (u undo) checkedOutElsewhere(ws *WorkspaceStep) string {
	holds := func(gitDir string) bool {
		head, _ := os.ReadFile(filepath.Join(gitDir, "HEAD"))
		return strings.TrimSpace(string(head)) == "ref: refs/heads/"+ws.Branch
	}
	if holds(u.common) {
		return u.common
	}
	for top, gitDir := range worktree.Registered(u.common) {
		if top != string(ws.Path) && holds(gitDir) {
			return top
		}
	}
	return ""
}

// lookAtHalf is the look at a child that is half made or half gone. Its own git folder is not asked, since it may be
// incomplete, or send git to the parent's files (core.worktree): its files are held against the base's tree.
func (u undo) lookAtHalf(ctx context.Context, ws *WorkspaceStep, index string) ([]string, error) {
	private, err := newPrivateFolder()
	if err != nil {
		return nil, err
	}
	defer private.remove()
	c := git.Bare(u.common, string(ws.Path), filepath.Join(private.path, "index"))
	if err := c.ReadTree(ctx, ws.Base); err != nil {
		return nil, err
	}
	different, err := c.DifferentPaths(ctx)
	if err != nil {
		return nil, err
	}
	unknown, err := c.UnknownPaths(ctx)
	if err != nil {
		return nil, err
	}
	var paths []git.StatusPath
	for _, p := range append(different, unknown...) {
		paths = append(paths, git.StatusPath{Path: p})
	}
	foreign, err := u.judge(ctx, ws, paths, c)
	if err != nil || len(foreign) > 0 {
		return foreign, err
	}
	return u.stagedByHand(ctx, ws, index, private.path)
}

// lookAtTarget gives what somebody has done in the existing target of a carry since, or in a submodule of it: another
// commit, or entries in its index that the carry did not write. Its old index must not be put over those.
func (u undo) lookAtTarget(ctx context.Context) ([]string, error) {
	seen := map[string]bool{}
	for _, step := range u.journal.steps {
		to := step.Carry
		if to == nil || to.Fresh || seen[to.Target] {
			continue
		}
		seen[to.Target] = true
		if nothingAt(to.Target) && nothingAt(to.TargetGitDir) {
			continue // the worktree was removed, and what was carried with it
		}
		at, err := worktree.Open(ctx, to.Target)
		if err != nil {
			return []string{to.Target}, err
		}
		whose := at.CommonDir == u.common || isStore(u.common, at.GitDir)
		if !worktree.SameFile(at.Path, to.Target) || !worktree.SameFile(at.GitDir, to.TargetGitDir) || !whose {
			return []string{to.Target}, errors.New("the target of the carry is another one by now")
		}
		if at.Head != to.Base {
			return []string{to.Target}, nil
		}
		foreign, err := u.of(to.Target).lookAtEntries(ctx, git.Command{Dir: at.Path}, to.Base, at.Path)
		if err != nil || len(foreign) > 0 {
			return foreign, err
		}
	}
	return nil, nil
}

// stagedByHand gives what the child's own index has and neither the base nor the journal: a file that was staged and
// removed again is nowhere else.
func (u undo) stagedByHand(ctx context.Context, ws *WorkspaceStep, index, private string) ([]string, error) {
	if nothingAt(index) || !nothingAt(index+".lock") { // not written yet
		return nil, nil
	}
	c := git.Bare(u.common, string(ws.Path), filepath.Join(private, "own"))
	if err := copyFile(index, c.Index); err != nil {
		return nil, err
	}
	return u.lookAtEntries(ctx, c, ws.Base, string(ws.Path))
}

// usedByHand says whether a child's private git folder shows that somebody has worked in the child: another branch, a
// commit, a lock. It is read as files, since git may refuse to, while it is half made.
func usedByHand(entry string, ws *WorkspaceStep) bool {
	if why, err := os.ReadFile(filepath.Join(entry, "locked")); err == nil && strings.TrimSpace(string(why)) != "initializing" {
		return true
	}
	head, _ := os.ReadFile(filepath.Join(entry, "HEAD"))
	switch at := strings.TrimSpace(string(head)); at {
	case "", ws.Base, git.NullID(ws.Base), "ref: refs/heads/" + ws.Branch, "ref: refs/heads/.invalid":
	default:
		return true
	}
	log, _ := os.ReadFile(filepath.Join(entry, "logs", "HEAD"))
	for line := range strings.Lines(string(log)) {
		if ids := strings.Fields(line); len(ids) > 1 && ids[1] != ws.Base && git.IsObjectID(ids[1]) {
			return true
		}
	}
	return false
}

// judge gives those of the paths that are not as the operation left them.
func (u undo) judge(ctx context.Context, ws *WorkspaceStep, paths []git.StatusPath, c git.Command) ([]string, error) {
	recorded := u.written()
	child, err := openTree(string(ws.Path))
	if err != nil {
		return nil, err
	}
	defer child.close()
	var foreign []string
	for _, entry := range paths {
		p := strings.TrimSuffix(entry.Path, "/")
		full := filepath.Join(string(ws.Path), filepath.FromSlash(p))
		if u.inSubmodule(string(ws.Path), full) {
			continue
		}
		info, err := os.Lstat(full)
		switch {
		case err != nil && !gone(err):
			return nil, err
		case err != nil && (u.journal.undoing || u.journal.entry == ""):
			continue
		case slices.ContainsFunc(recorded[p], func(e expected) bool {
			return e.temporary && isTemp(child, e.WrittenPath, u.journal.source) || !e.temporary && e.matches(full, info)
		}):
			continue
		case info == nil && slices.ContainsFunc(recorded[p], func(e expected) bool { return e.Kind == "index" }):
			// Staged as new in the parent, and deleted there: an entry without a file. One of the base's files would be missing.
			if had, err := c.Has(ctx, ws.Base, p); err != nil {
				return nil, err
			} else if !had {
				continue
			}
		case info != nil && !entry.Staged && u.asCheckedOut(ctx, c, ws.Base, p, full, info):
			continue
		}
		foreign = append(foreign, full)
	}
	return foreign, ctx.Err()
}

// gone says whether a path does not lead anywhere: also where a folder on it is a file by now.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// expected is what a recorded path may be, and when it was recorded.
type expected struct {
	WrittenPath
	at        time.Time
	temporary bool // it is about the name under which the path is written, before it is renamed into place
}

func (e expected) matches(full string, info fs.FileInfo) bool {
	switch {
	case info == nil:
		return e.Kind == "removed"
	case e.Kind == "file":
		return info.Mode().IsRegular() && info.Size() == e.Size && sameTime(e.MTime, info.ModTime().UnixNano())
	case e.Kind == "link":
		text, err := os.Readlink(full)
		return err == nil && text == string(e.Link)
	case e.Kind == "dir":
		return info.IsDir()
	case e.Kind == "index" && info.IsDir(): // a submodule's that is not checked out
		inside, err := os.ReadDir(full)
		return err == nil && len(inside) == 0
	case e.Kind == "index": // the file or link is what the checkout wrote, which was before
		return info.Mode().Type()&^fs.ModeSymlink == 0 && !info.ModTime().After(e.at)
	}
	return false
}

// sameTime compares a recorded time with what a file system made of it: some keep 100 ns, 1 µs, 1 s or 2 s.
func sameTime(recorded, found int64) bool {
	for _, grain := range []int64{1, 100, 1e3, 1e9, 2e9} {
		if found == recorded/grain*grain {
			return true
		}
	}
	return false
}

// asCheckedOut says whether a file has the bytes that a checkout of the base writes, though git calls it changed (a
// CRLF file under a later eol rule is so for ever); in a child that is half made, also the beginning of them.
func (u undo) asCheckedOut(ctx context.Context, c git.Command, base, p, full string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() {
		return false
	}
	want, err := c.CheckedOut(ctx, base, p)
	if err != nil || info.Size() > int64(len(want)) {
		return false
	}
	file, err := os.Open(full)
	if err != nil {
		return false
	}
	defer file.Close()
	have, err := io.ReadAll(io.LimitReader(file, int64(len(want))+1))
	if err != nil {
		return false
	}
	if mode, err := c.ModeOf(ctx, base, p); err != nil || mode == git.ModeExecutable != (info.Mode()&0o100 != 0) {
		return false
	}
	return bytes.Equal(have, want) || u.journal.entry == "" && bytes.HasPrefix(want, have)
}

// branchMoved says whether the operation's branch has been anywhere but at the base.
func (u undo) branchMoved(ctx context.Context, ws *WorkspaceStep) (bool, error) {
	log, err := u.branchLog(ctx, ws)
	if log = u.since(log); err != nil || len(log) == 0 {
		return false, err // not ours: it stays anyway
	}
	return slices.ContainsFunc(log, func(e git.LogEntry) bool { return e.New != ws.Base }), nil
}

// ownsBranch says whether the branch is there, still at the base, and made by this operation.
func (u undo) ownsBranch(ctx context.Context, ws *WorkspaceStep) (bool, error) {
	log, err := u.branchLog(ctx, ws)
	if log = u.since(log); err != nil || len(log) == 0 {
		return false, err
	}
	return log[0].New == ws.Base, nil
}

// since is the part of a reflog, newest first, from the operation's making of the branch on. Older lines are an earlier
// branch's of that name.
func (u undo) since(log []git.LogEntry) []git.LogEntry {
	made := slices.IndexFunc(log, func(e git.LogEntry) bool { return e.Message == branchMessage(u.journal.id) })
	return log[:made+1]
}

func (u undo) branchLog(ctx context.Context, ws *WorkspaceStep) ([]git.LogEntry, error) {
	oid, err := git.BranchAt(ctx, u.git(), ws.Branch)
	if err != nil || oid == "" {
		return nil, err
	}
	return git.RefLog(ctx, u.git(), "refs/heads/"+ws.Branch)
}

// pointsTo says whether a worktree's .git file names this git folder.
func pointsTo(link, gitDir string) bool {
	info, err := os.Lstat(link)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return false
	}
	text, err := os.ReadFile(link)
	if err != nil {
		return false
	}
	to, ok := gitDirIn(string(text), filepath.Dir(link))
	return ok && worktree.SameFile(to, gitDir)
}

// gitDirIn is where the text of a `.git` file in a folder leads.
func gitDirIn(text, folder string) (gitDir string, ok bool) {
	to, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
	to = filepath.FromSlash(to)
	if !filepath.IsAbs(to) {
		to = filepath.Join(folder, to)
	}
	return filepath.Clean(to), ok
}

// files lists what in a folder is no folder, at most a hundred.
func files(top string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		found = append(found, p)
		if len(found) == 100 {
			return fs.SkipAll
		}
		return nil
	})
	return found, err
}
