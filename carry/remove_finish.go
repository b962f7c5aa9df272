package carry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// RemovalStep is the removing of a workspace. Until its list is on the disk taking it back is to delete the refs below
// Refs, and from there on it only goes on: each of its acts may find its work done already.
type RemovalStep struct {
	Path     exact   `json:"path"`     // its top level
	Entry    exact   `json:"entry"`    // name in <common>/worktrees
	Refs     string  `json:"refs"`     // a folder of refs, below refs/sidefork/removed/ or archived/
	Missing  bool    `json:"missing"`  // its folder is gone already
	Archive  bool    `json:"archive"`  // git's entry and the branch stay: the workspace is archived
	Branch   string  `json:"branch"`   // that goes too; "" for none
	Head     string  `json:"head"`     // object id that the branch is at
	Children []exact `json:"children"` // entries of those that were forked from it

	Parent       exact  `json:"parent"` // theirs from now on; "" for none
	ParentBranch string `json:"parentBranch"`
}

// isOf says whether this program can have written such a step for a repository.
func (s *RemovalStep) isOf(commonDir string) bool {
	for _, c := range s.Children {
		if !isName(c) {
			return false
		}
	}
	refs := savedRefs
	if s.Archive {
		refs = archivedRefs
	}
	return filepath.IsAbs(string(s.Path)) && isName(s.Entry) && git.IsObjectID(s.Head) && (s.Branch == "" || git.ValidBranch(s.Branch)) &&
		isBelowRefs(refs, s.Refs) && !(s.Archive && s.Branch != "") && string(s.Path) != filepath.Dir(commonDir)
}

func (t *trail) removal() *RemovalStep {
	for _, s := range t.steps {
		if s.Removal != nil {
			return s.Removal
		}
	}
	return nil
}

// Remove stores what the removal would lose and removes the workspace, or archives it. Its refusals have been made, or forced, by the
// caller. A *Refusal (targetMoved, what git could not do) means that nothing of the workspace was removed and RollBack
// takes back what was stored; a *Stuck, that the removing has begun and could not end: what it names stands, and Recover
// tries again. A cancelled context ends it only before.
func (o *Operation) Remove(ctx context.Context, r *Removal) ([]Saved, error) {
	step := r.step(o.ID)
	if err := o.Will(Step{Removal: step}); err != nil {
		return nil, cannotCreate(err)
	}
	save, stands := r.save, r.stands
	if r.from.Missing {
		save, stands = r.saveEntry, r.stillMissing
	}
	saved, err := save(ctx, step.Refs)
	if err == nil && r.archive {
		err = r.keep(ctx, step.Refs)
	}
	if err == nil {
		err = stands(ctx)
	}
	if err == nil {
		err = r.list.save(listingFile(o.source.CommonDir, o.ID))
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	if r.between != nil {
		r.between()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.journal.say(said{What: saidRemoving}, true); err != nil {
		return nil, cannotCreate(err)
	}
	return saved, undo{common: o.source.CommonDir, journal: o.journal, live: true}.run(context.WithoutCancel(ctx))
}

func (r *Removal) step(id string) *RemovalStep {
	s := &RemovalStep{
		Path: exact(r.from.Path), Entry: exact(filepath.Base(r.from.GitDir)), Head: r.from.Head,
		Refs: savedRefs + refName(r.from.Branch) + "-" + id[:8], Missing: r.from.Missing, Parent: exact(r.above.Parent), ParentBranch: r.above.ParentBranch,
	}
	if r.archive {
		s.Archive, s.Refs = true, archivedRefs+strings.TrimPrefix(s.Refs, savedRefs)
		return s
	}
	if r.branch {
		s.Branch = r.from.Branch
	}
	for _, c := range r.Children {
		if !c.Main {
			s.Children = append(s.Children, exact(filepath.Base(c.GitDir)))
		}
	}
	return s
}

// refName is a branch's name as one part of a ref's.
func refName(branch string) string {
	if branch == "" || !git.ValidBranch(branch) {
		return "detached"
	}
	name := strings.ReplaceAll(branch, "/", "-")
	for len(name) > 100 {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	return name
}

// stands refuses a workspace that is not any more what was looked at and stored.
func (r *Removal) stands(ctx context.Context) error {
	now, err := listAllOf(ctx, r.from.Path)
	if err != nil {
		return err
	}
	if other := append(r.list.otherThan(now), now.otherThan(r.list)...); len(other) > 0 {
		return worktree.Refuse("targetMoved", "path", other[0])
	}
	head, err := worktree.ReadHead(ctx, r.from)
	if err != nil {
		return err
	}
	index, err := r.plan.seen.stands()
	if err != nil {
		return err
	}
	if head != r.from.Head || !index {
		return worktree.Refuse("targetMoved", "path", r.from.Path)
	}
	return nil
}

// takeBackRemoval takes a removal back or, where it has begun, brings it to its end.
func (u undo) takeBackRemoval(ctx context.Context, s *RemovalStep) error {
	if err := os.MkdirAll(locksFolder(u.common), 0o755); err != nil {
		return &Stuck{Err: err}
	}
	behind, err := waitLock(ctx, worktreesLock(u.common))
	if err != nil {
		return &Stuck{Err: err}
	}
	defer behind.release()
	list := listingFile(u.common, u.journal.id)
	end := saidRolledBack
	if u.journal.removes {
		end, err = saidCompleted, u.finishRemoval(ctx, s, list)
	} else if e := u.takeBackStored(ctx, s); e != nil {
		err = &Stuck{Paths: []string{s.Refs}, Err: e}
	}
	if err != nil {
		return err
	}
	if err := u.journal.say(said{What: end}, false); err != nil {
		u.journal.end = end // the next process finds nothing to do
	}
	os.Remove(list)
	return nil
}

// takeBackStored removes what was stored for a removal that did not begin.
func (u undo) takeBackStored(ctx context.Context, s *RemovalStep) error {
	if s.Archive {
		err := os.Remove(filepath.Join(u.common, "worktrees", string(s.Entry), worktree.ArchiveFile))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return git.DeleteRefsBelow(ctx, u.git(), s.Refs)
}

// finishRemoval removes what is listed and is still as it was listed, then git's own folder, the branch with its section of
// the configuration, and moves the children up. Where there is anything else in the folder nothing more is removed.
func (u undo) finishRemoval(ctx context.Context, s *RemovalStep, file string) error {
	if s.Archive {
		return u.finishArchive(ctx, s, file)
	}
	top, entry := string(s.Path), filepath.Join(u.common, "worktrees", string(s.Entry))
	switch {
	case s.Missing && !nothingAt(filepath.Join(top, ".git")): // it has come back
		return &Stuck{Paths: []string{top}}
	case !s.Missing && !nothingAt(top):
		if err := u.removeFolder(ctx, top, entry, file); err != nil {
			return err
		}
	}
	if err := removeEntry(u.common, string(s.Entry)); err != nil {
		return &Stuck{Paths: []string{entry}, Err: err}
	}
	if s.Branch != "" {
		oid, err := git.BranchAt(ctx, u.git(), s.Branch)
		if err == nil && oid != "" {
			err = git.DeleteBranch(ctx, u.git(), s.Branch, s.Head)
		}
		if err == nil {
			err = git.RemoveSection(ctx, u.common, filepath.Join(u.common, "config"), "branch."+s.Branch)
		}
		if err != nil {
			return &Stuck{Paths: []string{"refs/heads/" + s.Branch}, Err: err}
		}
	}
	for _, c := range s.Children {
		gitDir := filepath.Join(u.common, "worktrees", string(c))
		l, err := worktree.ReadLineage(gitDir)
		if err != nil || l == nil || l.Parent != top {
			continue // it has gone, or somebody has moved it since
		}
		l.Parent, l.ParentBranch = string(s.Parent), s.ParentBranch
		if err := worktree.WriteLineage(gitDir, *l); err != nil {
			return &Stuck{Paths: []string{gitDir}, Err: err}
		}
	}
	return nil
}

func (u undo) removeFolder(ctx context.Context, top, entry, file string) error {
	if dot := filepath.Join(top, ".git"); !nothingAt(dot) && !pointsTo(dot, entry) {
		return &Stuck{Paths: []string{dot}}
	}
	list, err := readListing(file)
	if err != nil {
		return &Stuck{Paths: []string{top}, Err: err}
	}
	now, err := listAllOf(ctx, top)
	if err != nil {
		return &Stuck{Paths: []string{top}, Err: err}
	}
	if other := list.otherThan(now); len(other) > 0 {
		for i, name := range other {
			other[i] = filepath.Join(top, filepath.FromSlash(name))
		}
		return &Stuck{Paths: other[:min(len(other), 100)]}
	}
	left, err := list.removeFrom(top)
	if len(left) > 0 || err != nil {
		return &Stuck{Paths: left, Err: err}
	}
	return nil
}

// Stuck is what stands of a removal that has begun and did not end; nil where it had not begun, or did end.
func (o *Operation) Stuck(err error) *Stuck {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil || !o.journal.removes {
		return nil
	}
	if stuck, ok := errors.AsType[*Stuck](err); ok {
		return stuck
	}
	return &Stuck{Err: err}
}
