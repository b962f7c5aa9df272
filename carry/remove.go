package carry

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// Removal is what the removing of a workspace would lose, read at one moment with nothing written. Close it.
//
// It removes what it has listed and nothing else: a file that came, or changed, after the list was made stays, and so
// does everything with it. What is not committed is stored first (remove_save.go), then the list is written down, and from
// there on the removal only goes on, in this process or in the next one (remove_finish.go).
type Removal struct {
	Refusals []*Refusal // everything that speaks against it, each once
	Lost     []Left     // what is neither stored nor committed, by name: ignored files, special files
	Children []worktree.Worktree

	from    worktree.Worktree
	branch  bool // it goes too
	archive bool // it is to come back
	plan    *Plan
	list    contents
	staged  []string         // of a workspace that is gone: what its index has and its HEAD has not
	only    bool             // the branch or HEAD has commits that nothing else has
	inner   []unpushed       // submodules with commits that are only there
	above   worktree.Lineage // where the children go

	between func() // a seam of the tests: all is stored, nothing removed
}

// unpushed is a submodule with commits that are only in its store.
type unpushed struct {
	path string // from the top of the workspace
	sub  *submodule
}

// ForcibleToArchive is Forcible for an archiving.
func ForcibleToArchive(code string) bool { return code == "ignored" || code == "agentMaybeLive" }

// Forcible says whether the user may force what a refusal is about: work that is stored first, or that is theirs to lose.
func Forcible(code string) bool {
	return slices.Contains([]string{"uncommitted", "unmerged", "onlyHere", "agentLive", "agentMaybeLive", "locked", "operationInProgress", "submoduleUnknown"}, code)
}

// LookToRemove reads what the removing of a linked worktree, with its branch or without, would lose. family are the
// worktrees of its repository. Refusals in it: mainCheckout (then nothing else was looked at), unborn, locked,
// operationInProgress, nestedWorktree, nestedRepository, unmerged, uncommitted, onlyHere, submoduleUnknown, branchElsewhere,
// unreadable. Of one whose folder is gone: missing (git does not know which commit it was at), archived, lockedMissing,
// uncommitted (what was staged), submoduleUnknown, onlyHere, branchElsewhere, detached.
func LookToRemove(ctx context.Context, w worktree.Worktree, family []worktree.Worktree, branch bool) (*Removal, error) {
	r := &Removal{from: w, branch: branch}
	return r, r.look(ctx, family)
}

func (r *Removal) look(ctx context.Context, family []worktree.Worktree) error {
	switch {
	case r.from.Main:
		r.refuse("mainCheckout", "path", r.from.Path)
		return nil
	case r.from.Head == "" && !r.from.Missing:
		r.refuse("unborn")
		return nil
	case r.from.Archived, r.from.Missing && (r.from.GitDir == "" || !git.IsObjectID(r.from.Head)):
		r.Add(r.from.Eligible())
		return nil
	case r.from.Missing && r.from.Locked:
		r.refuse("lockedMissing", "path", r.from.Path)
		r.Refusals[0].Detail = r.from.Why
		return nil
	}
	steps := []func(context.Context, []worktree.Worktree) error{r.lookAround, r.lookAtFiles, r.lookAtChanges}
	if !r.archive { // else git's entry stays, and the branch, and the stores
		steps = append(steps, r.lookAtCommits, r.lookAtSubmodules)
	}
	if r.from.Missing {
		steps = []func(context.Context, []worktree.Worktree) error{r.lookAround, r.lookAtEntry, r.lookAtCommits}
	}
	for _, step := range steps {
		if err := step(ctx, family); err != nil {
			r.Close()
			return err
		}
	}
	return nil
}

// Close removes private copies. There is nothing to close of a nil removal.
func (r *Removal) Close() {
	if r != nil {
		r.plan.Close()
	}
}

// Add takes a refusal that was found elsewhere.
func (r *Removal) Add(no *Refusal) { r.Refusals = append(r.Refusals, no) }

func (r *Removal) refuse(code string, args ...string) { r.Add(worktree.Refuse(code, args...)) }

func (r *Removal) refused(code string) bool {
	return slices.ContainsFunc(r.Refusals, func(no *Refusal) bool { return no.Code == code })
}

// lookAround is for what files of git's say.
func (r *Removal) lookAround(_ context.Context, family []worktree.Worktree) error {
	if r.from.Locked {
		no := worktree.Refuse("locked", "path", r.from.Path)
		no.Detail = r.from.Why
		r.Add(no)
	}
	if no := r.from.Eligible(); no != nil && (no.Code == "operationInProgress" || no.Code == "notItself") {
		r.Add(no)
	}
	var nested []string
	for _, other := range family {
		switch {
		case other.Path == r.from.Path || other.Bare:
		case isBelow(r.from.Path, other.Path) && !nothingAt(other.Path):
			nested = append(nested, other.Path)
		case r.branch && other.Branch == r.from.Branch && other.Branch != "":
			r.refuse("branchElsewhere", "name", r.from.Branch, "path", other.Path)
		}
	}
	if len(nested) > 0 {
		r.refuse("nestedWorktree", "paths", few(nested))
	}
	if r.branch && r.from.Branch == "" && !r.refused("operationInProgress") {
		r.refuse("detached")
	}
	return r.findChildren(family)
}

// findChildren finds those that were forked from it, and where they will belong: to what it was forked from itself.
func (r *Removal) findChildren(family []worktree.Worktree) error {
	own, _ := worktree.ReadLineage(r.from.GitDir) // one that cannot be read has no parent
	for _, other := range family {
		if own != nil && own.Parent != "" && other.Path == own.Parent {
			r.above = worktree.Lineage{Parent: own.Parent, ParentBranch: other.Branch}
		}
		if l, err := worktree.ReadLineage(other.GitDir); err == nil && l != nil && l.Parent == r.from.Path && other.Path != r.from.Path {
			r.Children = append(r.Children, other)
		}
	}
	return nil
}

// lookAtFiles lists everything in the folder, before anything of it is read.
func (r *Removal) lookAtFiles(ctx context.Context, _ []worktree.Worktree) (err error) {
	r.list, err = listAllOf(ctx, r.from.Path)
	if at, denied := errors.AsType[*fs.PathError](err); denied && isDenied(err) {
		r.refuse("unreadable", "path", at.Path)
		return nil
	}
	return err
}

func (r *Removal) lookAtChanges(ctx context.Context, family []worktree.Worktree) (err error) {
	all := Limits{Files: math.MaxInt, Bytes: math.MaxInt64, IncludedFiles: math.MaxInt, IncludedBytes: math.MaxInt64}
	if r.plan, err = Look(ctx, r.from, r.from.Head, Options{Limits: all, removing: true}); err != nil {
		return err
	}
	for _, no := range r.plan.Refusals {
		if !r.refused(no.Code) {
			r.Add(no)
		}
	}
	var changed, conflicted, unknown, nested []string
	known := map[string]bool{}
	r.plan.levels("", func(prefix string, p *Plan) {
		if p.seen == nil {
			return
		}
		for _, name := range p.seen.status.Unmerged {
			conflicted = append(conflicted, prefix+name)
		}
		for name := range p.pointers() {
			changed = append(changed, prefix+name)
		}
		for _, s := range p.subs {
			known[prefix+s.path] = true
		}
	})
	for _, f := range r.plan.Files {
		changed = append(changed, f.Path)
	}
	for _, l := range r.plan.Left {
		switch l.Reason {
		case leftSubmodule, leftElsewhere, leftConfig:
			unknown, known[l.Path] = append(unknown, l.Path), true
		case "nestedRepository", "worktree", "intentToAddGone":
		default:
			r.Lost = append(r.Lost, l)
		}
	}
	for _, f := range r.list {
		name := string(f.Path)
		top := path.Dir(name)
		full := filepath.Join(r.from.Path, filepath.FromSlash(top))
		if path.Base(name) != ".git" || top == "." || known[top] || slices.ContainsFunc(family, func(w worktree.Worktree) bool { return w.Path == full }) {
			continue
		}
		nested = append(nested, top)
	}
	slices.Sort(changed)
	changed = slices.Compact(changed)
	for _, found := range []struct {
		code  string
		paths []string
	}{{"unmerged", conflicted}, {"uncommitted", changed}, {"submoduleUnknown", unknown}, {"nestedRepository", nested}} {
		if len(found.paths) > 0 && !(r.archive && found.code == "uncommitted") {
			no := worktree.Refuse(found.code, "paths", few(found.paths))
			no.Detail = strings.Join(found.paths[:min(len(found.paths), 100)], "\n")
			r.Add(no)
		}
	}
	return nil
}

// unmerged adds what lies on disk of unmerged paths: only a removal looks at them.
func (p *Plan) unmerged(look *lookup) error {
	if !p.opts.removing {
		return nil
	}
	for _, name := range p.seen.status.Unmerged {
		s, err := p.lstat(look, name)
		if err != nil {
			return err
		}
		if s.kind == file || s.kind == link {
			p.take(name, s, true, modified)
		} else {
			p.take(name, stat{}, true, deleted)
		}
	}
	return nil
}

// levels visits a plan and those of its submodules, with the path of each from the top.
func (p *Plan) levels(prefix string, visit func(prefix string, p *Plan)) {
	visit(prefix, p)
	for _, s := range p.subs {
		s.plan.levels(prefix+s.path+"/", visit)
	}
}

// pointers are the submodules that are checked out at another commit than the index has, with that commit.
func (p *Plan) pointers() map[string]string {
	moved := map[string]string{}
	for _, c := range p.seen.status.Changed {
		if c.Worktree != 'M' || c.ModeIndex != git.ModeSubmodule {
			continue
		}
		for _, s := range p.subs {
			if s.path == c.Path && s.from.Head != c.ObjectIndex {
				moved[c.Path] = s.from.Head
			}
		}
	}
	return moved
}

// lookAtCommits looks for commits that go with the workspace: those of its branch, where that goes too, or of a HEAD that
// is on none. A commit on any other branch, remote-tracking branch, tag or workspace stays.
func (r *Removal) lookAtCommits(ctx context.Context, family []worktree.Worktree) error {
	if r.from.Branch != "" && !r.branch {
		return nil
	}
	args := []string{"--branches", "--tags", "--remotes"}
	if r.from.Branch != "" {
		args = append([]string{"--exclude=" + r.from.Branch}, args...)
	}
	for _, other := range family {
		if other.Path != r.from.Path && git.IsObjectID(other.Head) {
			args = append(args, other.Head)
		}
	}
	lines, count, err := git.Only(ctx, git.Bare(r.from.CommonDir, "", ""), []string{r.from.Head}, args)
	if err != nil || count == 0 {
		return err
	}
	r.only = true
	no := worktree.Refuse("onlyHere", "count", strconv.Itoa(count), "where", cmp.Or(r.from.Branch, "HEAD"))
	no.Detail = lines
	r.Add(no)
	return nil
}

// lookAtSubmodules looks for commits in the stores that lie in the workspace's own git folder and go with it. One that the
// store of another workspace's submodule of that name has, in a branch of its own, stays.
func (r *Removal) lookAtSubmodules(ctx context.Context, family []worktree.Worktree) (err error) {
	r.plan.levels("", func(prefix string, p *Plan) {
		for _, s := range p.subs {
			if err == nil && (isBelow(r.from.GitDir, s.from.CommonDir) || isBelow(r.from.Path, s.from.CommonDir)) {
				err = r.lookAtStore(ctx, family, prefix+s.path, s)
			}
		}
	})
	return err
}

func (r *Removal) lookAtStore(ctx context.Context, family []worktree.Worktree, name string, s *submodule) error {
	at := git.Command{Dir: s.from.Path, Config: git.NoTransport()}
	tips, err := git.Tips(ctx, at)
	if err != nil {
		return err
	}
	var here []string
	for _, tip := range append(tips, s.from.Head) {
		if !r.heldElsewhere(ctx, family, s.store, tip) && !slices.Contains(here, tip) {
			here = append(here, tip)
		}
	}
	if len(here) == 0 {
		return nil
	}
	lines, count, err := git.Only(ctx, at, here, []string{"--remotes"})
	if err != nil || count == 0 {
		return err
	}
	r.inner = append(r.inner, unpushed{name, s})
	no := worktree.Refuse("onlyHere", "count", strconv.Itoa(count), "where", "the submodule "+name)
	no.Detail = lines
	r.Add(no)
	return nil
}

// heldElsewhere says whether a branch or HEAD of the same submodule in another workspace has a commit.
func (r *Removal) heldElsewhere(ctx context.Context, family []worktree.Worktree, store, oid string) bool {
	for _, other := range family {
		if other.Path == r.from.Path || other.GitDir == "" {
			continue
		}
		folder := filepath.Join(other.GitDir, "modules", filepath.FromSlash(store))
		if !nothingAt(filepath.Join(folder, "HEAD")) && git.Holds(ctx, git.Bare(folder, "", ""), oid) {
			return true
		}
	}
	return false
}

// few names some of many paths.
func few(paths []string) string {
	text := strings.Join(paths[:min(len(paths), 5)], ", ")
	if len(paths) > 5 {
		text += " and " + strconv.Itoa(len(paths)-5) + " more"
	}
	return text
}
