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
	"github.com/sidefork/sidefork/carry/pulse"
	"github.com/sidefork/sidefork/carry/worktree"
)

// undo takes an operation back on the word of its journal alone, in the process that began it (live) or in a later one.
// Each of its acts may find its work done already: it can be killed and run again at any point.
type undo struct {
	common  string // the shared git folder
	journal *journal
	live    bool
}

// run takes everything back, backwards. Nothing is removed before the child was looked at.
func (u undo) run(ctx context.Context) error {
	if err := u.journal.check(u.common); err != nil {
		return &Stuck{Err: fmt.Errorf("journal %s: %w", u.journal.id, err)}
	}
	if s := u.journal.removal(); s != nil {
		return u.takeBackRemoval(ctx, s)
	}
	if s := u.journal.restore(); s != nil {
		return u.takeBackRestore(ctx, s)
	}
	ws := u.journal.workspace()
	if ws != nil {
		if err := os.MkdirAll(locksFolder(u.common), 0o755); err != nil {
			return &Stuck{Err: err}
		}
		behind, err := waitLock(ctx, worktreesLock(u.common))
		if err != nil {
			return &Stuck{Err: err}
		}
		defer behind.release()
		foreign, err := u.look(ctx, ws)
		if err != nil || len(foreign) > 0 {
			return &Stuck{Paths: foreign[:min(len(foreign), 100)], Err: err}
		}
		// Where the disk is full this fails, and going on is what makes room. A process that dies before it is done then
		// leaves a child that the next one keeps.
		_ = u.journal.say(said{What: saidUndoing}, true)
		u.journal.undoing = true
	}
	if foreign, err := u.lookAtTarget(ctx); err != nil || len(foreign) > 0 {
		return &Stuck{Paths: foreign[:min(len(foreign), 100)], Err: err}
	}
	if err := u.takeBackCarries(); err != nil {
		return err
	}
	if ws != nil {
		if err := u.takeBackWorkspace(ctx, ws); err != nil {
			return err
		}
	}
	if err := u.journal.say(said{What: saidRolledBack}, false); err != nil {
		u.journal.end = saidRolledBack // all is back: the next process finds nothing to do
	}
	return nil
}

// takeBackCarries takes back each step of a carry, whatever of another one has to stand.
func (u undo) takeBackCarries() error {
	stuck := new(Stuck)
	for _, step := range slices.Backward(u.journal.steps) {
		if step.Carry == nil || nothingAt(step.Carry.Target) || step.Carry.Fresh && u.emptied() {
			continue
		}
		err := takeBack(u.withoutOthersTemps(*step.Carry))
		if s, ok := errors.AsType[*Stuck](err); ok {
			stuck.Paths = append(stuck.Paths, s.Paths...)
			err = s.Err
		}
		if err != nil {
			stuck.Err = errors.Join(stuck.Err, err)
		}
	}
	if len(stuck.Paths) == 0 && stuck.Err == nil {
		return nil
	}
	slices.Sort(stuck.Paths)
	stuck.Paths = slices.Compact(stuck.Paths)
	return stuck
}

// emptied says whether the child goes as a whole: after hooks, in the process that ran them, what is in it is the
// operation's whatever its name.
func (u undo) emptied() bool { return u.live && u.journal.hooks }

func (u undo) git() git.Command { return git.Bare(u.common, "", "") }

// takeBackWorkspace removes the files, the folder, the entry and the branch, in this order: while files are there, git
// can still be asked what they are.
func (u undo) takeBackWorkspace(ctx context.Context, ws *WorkspaceStep) error {
	top := string(ws.Path)
	entry := u.entry(ws)
	ours, err := u.ownsBranch(ctx, ws)
	if err != nil {
		return &Stuck{Err: err}
	}
	if !nothingAt(top) {
		if err := u.clear(ctx, ws); err != nil {
			return err
		}
		if !ws.Existed {
			if err := os.Remove(top); err != nil {
				return &Stuck{Paths: []string{top}, Err: err}
			}
		}
	}
	if entry != "" {
		if err := removeEntry(u.common, entry); err != nil {
			return &Stuck{Paths: []string{filepath.Join(u.common, "worktrees", entry)}, Err: err}
		}
	}
	if ours {
		err := u.takeBackConfig(ctx, ws) // first: without the branch nothing says whose section it is
		if err == nil {
			err = u.saveReflog(ws)
		}
		if err == nil {
			err = git.DeleteBranch(ctx, u.git(), ws.Branch, ws.Base)
		}
		if err != nil {
			return &Stuck{Paths: []string{"refs/heads/" + ws.Branch}, Err: err}
		}
	}
	err = u.restoreReflog(ctx, ws)
	if err == nil && !ours {
		err = u.dropReflog(ctx, ws)
	}
	if err != nil {
		return &Stuck{Paths: []string{reflogFile(u.common, ws.Branch)}, Err: err}
	}
	// These hold something by now, or are gone, where somebody else uses them too.
	for _, folder := range slices.Backward(ws.GitFolders) {
		_ = os.Remove(filepath.Join(u.common, filepath.FromSlash(folder)))
	}
	for _, folder := range slices.Backward(ws.Folders) {
		_ = os.Remove(string(folder))
	}
	return nil
}

// takeBackConfig takes the branch's section out of the shared configuration.
func (u undo) takeBackConfig(ctx context.Context, ws *WorkspaceStep) error {
	if ws.Config == "" {
		return nil
	}
	file := filepath.Join(u.common, "config")
	whole, err := git.CutConfig(ctx, file, configFile(u.common, u.journal.id), ws.Config)
	if err == nil && !whole {
		err = git.RemoveSection(ctx, u.common, file, "branch."+ws.Branch)
	}
	return err
}

// clear empties the child's folder of what the operation wrote. Files are unlinked one by one, below an os.Root, never
// through a link; folders go only when they are empty.
func (u undo) clear(ctx context.Context, ws *WorkspaceStep) error {
	top := string(ws.Path)
	root, err := os.OpenRoot(top)
	if err != nil {
		return &Stuck{Paths: []string{top}, Err: err}
	}
	defer root.Close()
	if u.emptied() {
		if err := emptyOut(root); err != nil {
			return &Stuck{Paths: rest(root, top), Err: err}
		}
		return nil
	}
	if err := u.clearSubmodules(ctx); err != nil {
		return err
	}
	return u.of(top).clearLevel(ctx, u.git(), root, top, ws.Base)
}

// clearLevel is clear without the child's submodules; asks is a git that knows the base.
func (u undo) clearLevel(ctx context.Context, asks git.Command, root *os.Root, top, base string) error {
	paths, err := git.TreePaths(ctx, asks, base)
	if err != nil {
		return &Stuck{Paths: []string{top}, Err: err}
	}
	s := sweep{root: root, real: map[string]bool{".": true}}
	for p := range u.written() { // the look has found them to be what was recorded; a link goes before what is behind it
		s.unlink(p)
		pulse.Beat(ctx)
	}
	s.real = map[string]bool{".": true}
	for _, p := range paths {
		s.unlink(p)
		pulse.Beat(ctx)
	}
	s.removeEmptyFolders(".")
	if left := rest(root, top); len(left) > 0 {
		return &Stuck{Paths: left}
	}
	if err := root.Remove(".git"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &Stuck{Paths: []string{top}, Err: err}
	}
	return nil
}

// rest lists what is still in a child beside its .git, at most a hundred.
func rest(root *os.Root, top string) []string {
	var left []string
	_ = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if p == "." || p == ".git" {
			return nil
		}
		if len(left) == 100 {
			return fs.SkipAll
		}
		left = append(left, filepath.Join(top, filepath.FromSlash(p)))
		return nil
	})
	return left
}

// emptyOut removes everything in a child that is wholly ours.
func emptyOut(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		err := root.RemoveAll(e.Name())
		if errors.Is(err, fs.ErrPermission) { // a folder that its owner may not write
			_ = fs.WalkDir(root.FS(), e.Name(), func(p string, d fs.DirEntry, _ error) error {
				if d != nil && d.IsDir() {
					_ = root.Chmod(p, 0o700)
				}
				return nil
			})
			err = root.RemoveAll(e.Name())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sweep unlinks files of a child and remembers the folders that it met.
type sweep struct {
	root *os.Root
	real map[string]bool // folder → is a folder, and so is every one above it
}

// isReal says whether a folder is one, and no link is on its path.
func (s *sweep) isReal(dir string) bool {
	if known, ok := s.real[dir]; ok {
		return known
	}
	is := s.isReal(path.Dir(dir))
	if is {
		info, err := s.root.Lstat(dir)
		is = err == nil && info.IsDir()
	}
	s.real[dir] = is
	return is
}

func (s *sweep) unlink(p string) {
	if !s.isReal(path.Dir(p)) {
		return
	}
	if err := s.root.Remove(p); errors.Is(err, fs.ErrPermission) {
		_ = s.root.Chmod(path.Dir(p), 0o700)
		_ = s.root.Remove(p)
	}
}

// written are the paths that the operation has recorded for a child of its own, and their temporary names.
func (u undo) written() map[string][]expected {
	paths := map[string][]expected{}
	for i, step := range u.journal.steps {
		if step.Carry == nil || !step.Carry.Fresh {
			continue
		}
		for _, p := range step.Carry.Paths {
			name := string(p.Path)
			paths[name] = append(paths[name], expected{WrittenPath: p, at: u.journal.times[i]})
			if p.Temp != "" {
				temp := path.Join(path.Dir(name), path.Base(p.Temp))
				paths[temp] = append(paths[temp], expected{WrittenPath: p, at: u.journal.times[i], temporary: true})
			}
		}
	}
	return paths
}

// removeEmptyFolders removes the folders below dir that hold no file at any depth: git does not know them.
func (s *sweep) removeEmptyFolders(dir string) {
	entries, err := fs.ReadDir(s.root.FS(), dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if p := path.Join(dir, e.Name()); e.IsDir() {
			s.removeEmptyFolders(p)
			if err := s.root.Remove(p); errors.Is(err, fs.ErrPermission) {
				_ = s.root.Chmod(dir, 0o700)
				_ = s.root.Remove(p)
			}
		}
	}
}

// entry is the name in <common>/worktrees that git made for the child; "" where there is none. A git that was killed may
// have left one that does not say yet what it stands for: a new one with the child's own name is ours, since the lock
// keeps other operations away.
func (u undo) entry(ws *WorkspaceStep) string {
	for top, dir := range worktree.Registered(u.common) {
		if top == string(ws.Path) {
			return filepath.Base(dir)
		}
	}
	all := filepath.Join(u.common, "worktrees")
	entries, _ := os.ReadDir(all)
	for _, e := range entries {
		if slices.Contains(ws.Entries, exact(e.Name())) || !strings.HasPrefix(e.Name(), filepath.Base(string(ws.Path))) {
			continue
		}
		if nothingAt(filepath.Join(all, e.Name(), "gitdir")) {
			return e.Name()
		}
	}
	return ""
}

// removeEntry removes git's private folder of one worktree. It is git's own way (`git worktree remove` does the same),
// and works for one that is half made, which git's command refuses.
func removeEntry(common, entry string) error {
	root, err := os.OpenRoot(filepath.Join(common, "worktrees"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(entry)
}
