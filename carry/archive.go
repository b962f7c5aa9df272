package carry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// An archived workspace is one whose folder has gone and whose entry in git's folder stays, with its index, its HEAD, its
// submodules' stores and its lineage. The entry is locked, so that git does not forget it, and names what was in the folder:
//
//	<entry>/sidefork-archive.json           every path, its mode and time, and the object with its bytes
//	refs/sidefork/archived/<branch>-<id>/files   a commit of all these bytes as they lay on disk
//	refs/sidefork/archived/<branch>-<id>/work    the uncommitted ones as a removal stores them, for `git stash apply`
//
// It is a removal with another ending: the same look, the same list, the same journal.

const archivedRefs = "refs/sidefork/archived/"

// archive is what a workspace's folder had when it was archived.
type archive struct {
	Refs  string `json:"refs"` // a folder of refs
	Mode  uint32 `json:"mode"` // of the workspace's own folder
	Paths []kept `json:"paths"`
}

// kept is one path of an archived folder, a folder before what is in it.
type kept struct {
	Path   exact  `json:"p"`
	Kind   kind   `json:"k"`
	Mode   uint32 `json:"o"`
	MTime  int64  `json:"m,omitempty"` // of a file, ns since 1970
	Object string `json:"h,omitempty"` // of a file: the object id of its bytes
	Text   exact  `json:"t,omitempty"` // where a link leads to; what a .git file says
}

// LookToArchive is LookToRemove for a workspace that is to be archived: nothing of it is lost but what git ignores, so
// neither changes nor commits speak against it. Refusals in it: mainCheckout, unborn, locked, operationInProgress,
// nestedWorktree, nestedRepository, unmerged, submoduleUnknown, ignored, unreadable.
func LookToArchive(ctx context.Context, w worktree.Worktree, family []worktree.Worktree) (*Removal, error) {
	r := &Removal{from: w, archive: true}
	if err := r.look(ctx, family); err != nil {
		return nil, err
	}
	if len(r.Lost) > 0 {
		var names []string
		for _, l := range r.Lost {
			names = append(names, l.Path)
		}
		no := worktree.Refuse("ignored", "paths", few(names))
		no.Detail = strings.Join(names[:min(len(names), 100)], "\n")
		r.Add(no)
	}
	return r, nil
}

// keep stores everything that is in the folder and is not to be lost, and writes down in git's own folder of it what that is.
func (r *Removal) keep(ctx context.Context, refs string) error {
	t, err := openTree(r.from.Path)
	if err != nil {
		return err
	}
	defer t.close()
	lost := map[string]bool{}
	for _, l := range r.Lost {
		lost[l.Path] = true
	}
	top, err := fstat(t.top)
	if err != nil {
		return err
	}
	a := archive{Refs: refs, Mode: top.mode}
	for _, l := range r.list {
		name := string(l.Path)
		if lost[name] || lost[path.Dir(name)] {
			lost[name] = true // and what is in it
			continue
		}
		k, err := keptAs(t, l)
		if err != nil {
			return err
		}
		a.Paths = append(a.Paths, k)
	}
	at := git.Command{Dir: r.from.Path, Config: git.NoTransport()}
	if err := r.storeBytes(ctx, at, t, a.Paths); err != nil {
		return err
	}
	at.Index = filepath.Join(r.plan.seen.private.path, "files")
	var entries strings.Builder
	for _, k := range a.Paths {
		if k.Object != "" {
			entryLine(&entries, entryMode(stat{kind: file, mode: k.Mode}), k.Object, string(k.Path))
		}
	}
	tree, err := at.StoreTree(ctx, entries.String())
	if err != nil {
		return err
	}
	commit, err := at.StoreCommit(ctx, tree, "sidefork: archived "+r.from.Path, r.from.Head)
	if err != nil {
		return err
	}
	if err := git.Bare(r.from.CommonDir, "", "").StoreRef(ctx, refs+"/files", commit); err != nil {
		return err
	}
	return a.save(r.from.GitDir)
}

// keptAs refuses what an archive cannot hold.
func keptAs(t *tree, l listed) (kept, error) {
	name := string(l.Path)
	k := kept{Path: l.Path, Kind: l.Kind, Mode: l.Mode}
	switch l.Kind {
	case file:
		k.MTime = l.MTime
		if path.Base(name) == ".git" {
			text, err := t.root.ReadFile(name)
			k.Text = exact(text)
			return k, err
		}
	case link:
		text, err := t.readlink(name)
		k.Text = exact(text)
		return k, err
	case folder:
		s, err := t.at(name)
		k.Mode = s.mode
		return k, err
	}
	if l.Kind == special || !safe(name) {
		return k, worktree.Refuse("unsupportedState", "what", "the path "+name)
	}
	return k, nil
}

// storeBytes stores the files' bytes as they are.
func (r *Removal) storeBytes(ctx context.Context, at git.Command, t *tree, paths []kept) error {
	var plain []string
	var of []*kept
	for i := range paths {
		k := &paths[i]
		name := string(k.Path)
		switch {
		case k.Kind != file || path.Base(name) == ".git":
		case strings.ContainsAny(name, "\n\r") || name[0] == '"': // not for a list of lines
			content, err := t.root.ReadFile(name)
			if err == nil {
				k.Object, err = at.StoreBlob(ctx, content)
			}
			if err != nil {
				return err
			}
		default:
			plain, of = append(plain, name), append(of, k)
		}
	}
	if len(plain) == 0 {
		return nil
	}
	objects, err := at.StoreFiles(ctx, plain)
	if err != nil {
		return err
	}
	if len(objects) != len(plain) {
		return fmt.Errorf("carry: %d objects of %d files", len(objects), len(plain))
	}
	for i, k := range of {
		k.Object = objects[i]
	}
	return nil
}

// save writes the archive into a worktree's own git folder, on the disk when it returns.
func (a archive) save(gitDir string) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(gitDir, worktree.ArchiveFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("carry: archive: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("carry: archive: %w", err)
	}
	return nil
}

// readArchive reads what save has written, and refuses what it cannot have. Refusal: archiveBroken.
func readArchive(gitDir string) (*archive, error) {
	record := filepath.Join(gitDir, worktree.ArchiveFile)
	broken := func(why string) error {
		no := worktree.Refuse("archiveBroken", "path", record)
		no.Detail = why
		return no
	}
	if !isFile(record) {
		return nil, broken("it is no file")
	}
	text, err := os.ReadFile(record)
	if err != nil {
		return nil, broken(err.Error())
	}
	a := new(archive)
	if err := json.Unmarshal(text, a); err != nil {
		return nil, broken(err.Error())
	}
	if !isBelowRefs(archivedRefs, a.Refs) {
		return nil, broken("its refs are " + a.Refs)
	}
	folders := map[string]bool{".": true}
	for _, k := range a.Paths {
		name := string(k.Path)
		fits := folders[path.Dir(name)] && filepath.IsLocal(filepath.FromSlash(name)) && path.Clean(name) == name && name != "."
		dot := path.Base(name) == ".git"
		switch {
		case k.Kind == folder:
			folders[name] = true
			fits = fits && !dot
		case k.Kind == file && !dot:
			fits = fits && git.IsObjectID(k.Object)
		default:
			fits = fits && (k.Kind == file || k.Kind == link && !dot)
		}
		if !fits {
			return nil, broken("it names " + name)
		}
	}
	return a, nil
}

func isBelowRefs(folder, refs string) bool {
	name, below := strings.CutPrefix(refs, folder)
	return below && name != "" && !strings.ContainsAny(name, "/ \x00") && !strings.Contains(name, "..")
}

// finishArchive takes the folder away once git cannot forget the workspace any more.
func (u undo) finishArchive(ctx context.Context, s *RemovalStep, list string) error {
	top, entry := string(s.Path), filepath.Join(u.common, "worktrees", string(s.Entry))
	if err := worktree.LockArchived(entry); err != nil {
		return &Stuck{Paths: []string{entry}, Err: err}
	}
	if nothingAt(top) {
		return nil
	}
	return u.removeFolder(ctx, top, entry, list)
}

// folderLast is the order in which folders may be closed again: what is inside first.
func folderLast(paths []kept) []kept {
	var folders []kept
	for _, k := range slices.Backward(paths) {
		if k.Kind == folder {
			folders = append(folders, k)
		}
	}
	return folders
}
