package carry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// RestoreStep is the bringing back of an archived workspace. Its folder is made beside its place, under a name of the
// operation's, and proved there; then it is given its name. Before that taking it back is to remove the folder; from there
// on the workspace is the user's, and what is left to do is only done to git's entry of it.
type RestoreStep struct {
	Path    exact   `json:"path"`    // its top level
	Entry   exact   `json:"entry"`   // name in <common>/worktrees
	Refs    string  `json:"refs"`    // that are not needed any more
	Folders []exact `json:"folders"` // folders above it that were not there, outermost first
}

func (s *RestoreStep) isOf(commonDir string) bool {
	return filepath.IsAbs(string(s.Path)) && isName(s.Entry) && isBelowRefs(archivedRefs, s.Refs) && string(s.Path) != filepath.Dir(commonDir)
}

func (t *trail) restore() *RestoreStep {
	for _, s := range t.steps {
		if s.Restore != nil {
			return s.Restore
		}
	}
	return nil
}

// stage is the folder that is made beside the workspace's place: its name is short where that of the place is long.
func (s *RestoreStep) stage(id string) string {
	return filepath.Join(filepath.Dir(string(s.Path)), ".sidefork-"+id[:8])
}

func isName(x exact) bool {
	return x != "" && x != "." && filepath.Base(string(x)) == string(x) && filepath.IsLocal(string(x))
}

// Restore brings an archived workspace's folder back: every file with its bytes, mode and time, every link and folder.
// Its index, HEAD and submodules' stores have never gone. Refusals: archiveBroken, placeTaken, badFolder, noSpace,
// createFailed, restoreUnequal; then RollBack takes back what was written, and the workspace is still archived.
func (o *Operation) Restore(ctx context.Context, w worktree.Worktree) error {
	a, err := lookToRestore(w)
	if err != nil {
		return err
	}
	a.leadTo(w)
	step := &RestoreStep{Path: exact(w.Path), Entry: exact(filepath.Base(w.GitDir)), Refs: a.Refs}
	for at := filepath.Dir(w.Path); nothingAt(at); at = filepath.Dir(at) {
		step.Folders = append(step.Folders, exact(at))
	}
	slices.Reverse(step.Folders)
	stage := step.stage(o.ID)
	if !nothingAt(stage) {
		return worktree.Refuse("placeTaken", "path", stage)
	}
	if err := o.Will(Step{Restore: step}); err != nil {
		return cannotCreate(err)
	}
	if err := a.make(ctx, git.Bare(w.CommonDir, "", ""), stage); err != nil {
		return failed(ctx, err)
	}
	if err := a.prove(ctx, stage, len(w.Head)); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if o.restoring != nil {
		o.restoring(stage)
	}
	if err := moveInto(stage, w.Path); err != nil {
		return cannotCreate(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return undo{common: o.source.CommonDir, journal: o.journal, live: true}.run(context.WithoutCancel(ctx))
}

// CanRestore refuses to bring a workspace back where that is known beforehand. Refusals: archiveBroken, placeTaken, badFolder.
func CanRestore(w worktree.Worktree) error {
	_, err := lookToRestore(w)
	return err
}

func lookToRestore(w worktree.Worktree) (*archive, error) {
	a, err := readArchive(w.GitDir)
	if err != nil {
		return nil, err
	}
	if no := placeTaken(w.Path); no != nil {
		return nil, no
	}
	return a, nil
}

// placeTaken refuses a place where something is: no folder, or one with anything in it.
func placeTaken(top string) *Refusal {
	info, err := os.Lstat(top)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return worktree.Refuse("badFolder", "path", top, "what", err.Error())
	case !info.IsDir():
		return worktree.Refuse("placeTaken", "path", top)
	}
	if inside, err := os.ReadDir(top); err != nil || len(inside) > 0 {
		return worktree.Refuse("placeTaken", "path", top)
	}
	return nil
}

// moveInto gives a folder its name, in one step; an empty folder may have it, and nothing else.
func moveInto(stage, top string) error {
	if err := syscall.Rmdir(top); err != nil && !errors.Is(err, os.ErrNotExist) {
		return &os.PathError{Op: "rmdir", Path: top, Err: err}
	}
	return os.Rename(stage, top)
}

// leadTo has the workspace's `.git` lead to git's folder of it, wherever the repository has gone meanwhile.
func (a *archive) leadTo(w worktree.Worktree) {
	for i, k := range a.Paths {
		if k.Path != ".git" {
			continue
		}
		if to, ok := gitDirIn(string(k.Text), w.Path); !ok || !worktree.SameFile(to, w.GitDir) {
			a.Paths[i].Text = exact("gitdir: " + w.GitDir + "\n")
		}
	}
}

// make writes the folder of an archive. Modes come last: a folder may be one that nobody writes in.
func (a *archive) make(ctx context.Context, from git.Command, stage string) error {
	if err := os.MkdirAll(filepath.Dir(stage), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(stage, 0o700); err != nil {
		return err
	}
	t, err := openTree(stage)
	if err != nil {
		return err
	}
	defer t.close()
	var files []kept
	var objects []string
	for _, k := range a.Paths {
		name := string(k.Path)
		switch {
		case k.Kind == folder:
			err = t.root.Mkdir(name, 0o700)
		case k.Kind == link:
			err = t.root.Symlink(string(k.Text), name)
		case k.Object == "":
			err = k.write(t, strings.NewReader(string(k.Text)))
		default:
			files, objects = append(files, k), append(objects, k.Object)
		}
		if err != nil {
			return err
		}
	}
	err = from.Blobs(ctx, objects, func(i int, content io.Reader, _ int64) error { return files[i].write(t, content) })
	if err != nil {
		return err
	}
	for _, k := range folderLast(a.Paths) {
		if err := t.setMode(string(k.Path), k.Mode); err != nil {
			return err
		}
	}
	return chmodFile(t.top, a.Mode)
}

// write makes a file that is not there yet.
func (k kept) write(t *tree, content io.Reader) error {
	name := string(k.Path)
	f, err := t.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := t.root.Chtimes(name, timeOf(k.MTime), timeOf(k.MTime)); err != nil {
		return err
	}
	return t.setMode(name, k.Mode)
}

// prove reads the whole folder again: it has what the archive names, and nothing else. digits says which object format.
func (a *archive) prove(ctx context.Context, stage string, digits int) error {
	list, err := listAllOf(ctx, stage)
	if err != nil {
		return err
	}
	t, err := openTree(stage)
	if err != nil {
		return err
	}
	defer t.close()
	unequal := func(name string) error { return worktree.Refuse("restoreUnequal", "path", name) }
	top, err := fstat(t.top)
	if err != nil {
		return err
	}
	if len(list) != len(a.Paths) || top.mode != a.Mode {
		return unequal(path.Base(stage))
	}
	return inParallel(ctx, len(a.Paths), func(_ context.Context, from, to int) error {
		look := t.lookup()
		for _, k := range a.Paths[from:to] {
			name := string(k.Path)
			s, err := look.lstat(name)
			if err != nil {
				return err
			}
			same := s.kind == k.Kind && (s.kind == link || s.mode == k.Mode)
			switch {
			case !same || k.Kind == folder:
			case k.Kind == link:
				text, err := t.readlink(name)
				same = err == nil && text == string(k.Text)
			case k.Object == "":
				text, err := t.root.ReadFile(name)
				same = err == nil && string(text) == string(k.Text)
			default:
				object, err := rawObject(t, name, digits)
				same = err == nil && object == k.Object
			}
			if !same {
				return unequal(name)
			}
		}
		return nil
	})
}

// takeBackRestore takes the bringing back of a workspace back or, where its folder is in its place, brings it to its end.
func (u undo) takeBackRestore(ctx context.Context, s *RestoreStep) error {
	if err := os.MkdirAll(locksFolder(u.common), 0o755); err != nil {
		return &Stuck{Err: err}
	}
	behind, err := waitLock(ctx, worktreesLock(u.common))
	if err != nil {
		return &Stuck{Err: err}
	}
	defer behind.release()
	entry, stage, end := filepath.Join(u.common, "worktrees", string(s.Entry)), s.stage(u.journal.id), saidRolledBack
	switch {
	case !nothingAt(stage):
		err = discard(stage)
		for _, folder := range slices.Backward(s.Folders) {
			_ = os.Remove(string(folder)) // where it is empty
		}
	case pointsTo(filepath.Join(string(s.Path), ".git"), entry):
		end, err = saidCompleted, u.finishRestore(ctx, s, entry)
	default:
		for _, folder := range slices.Backward(s.Folders) {
			_ = os.Remove(string(folder))
		}
	}
	if err != nil {
		return &Stuck{Paths: []string{stage}, Err: err}
	}
	if err := u.journal.say(said{What: end}, false); err != nil {
		u.journal.end = end
	}
	return nil
}

// finishRestore makes git's entry one like any other.
func (u undo) finishRestore(ctx context.Context, s *RestoreStep, entry string) error {
	if err := os.Remove(filepath.Join(entry, worktree.ArchiveFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := worktree.UnlockArchived(entry); err != nil {
		return err
	}
	return git.DeleteRefsBelow(ctx, u.git(), s.Refs)
}

// discard removes a folder of ours that nobody knows the name of.
func discard(stage string) error {
	root, err := os.OpenRoot(stage)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := emptyOut(root); err != nil {
		return fmt.Errorf("carry: %s: %w", stage, err)
	}
	return os.Remove(stage)
}
