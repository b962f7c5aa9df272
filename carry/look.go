package carry

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/pulse"
	"github.com/sidefork/sidefork/carry/worktree"
)

// Plan is what a carry would bring, read at one moment with nothing written. Close it.
type Plan struct {
	Numbers
	Files    []File
	Left     []Left
	Refusals []*Refusal
	Argv     [][]string // the git commands that Into will run

	// IncludeFile is what stands in the place of the file of patterns ("a link", "a folder") and was therefore not read.
	IncludeFile string

	from worktree.Worktree
	base string
	opts Options
	seen *reading

	disk  []*item          // what to write or remove, by path
	named map[string]*item // the same by path
	index indexPlan
	aside map[string]kind // what status names and the disk plan does not, as it was
	fresh bool            // the target is a child that this operation makes

	borrowed bool // what was read is another plan's (Copy)

	targets map[string]worktree.Worktree // the submodules of an existing target, by path

	includedBytes int64 // of Bytes, those of ignored files
	counted       bool  // the numbers are those of all that comes

	merge *merging     // nil where the target is at the source's own commit
	subs  []*submodule // those that come, by path
	share func() error // brings objects that came into the parent's store since the child got its own; nil where they have one

	// Seams of the tests: before each file that is copied instead of checked out, between the write and its proof, and in
	// the proof between comparing and the last look at the parent.
	filling  func()
	between  func(child string)
	compared func()
}

// item is one path whose state on disk must become the parent's.
type item struct {
	path    string
	was     stat // what the parent has there; absent: to be removed
	inBase  bool
	counted Change
	merged  bool // its content is neither the parent's nor the child's, and lies in merging.made
}

// Change says what became of a path, for the reader of a plan.
type Change string

// The changes that File.Change names.
const (
	added       Change = "added"
	modified    Change = "modified"
	deleted     Change = "deleted"
	untracked   Change = "untracked"
	typeChanged Change = "typeChanged"
	stagedOnly  Change = "staged"
	included    Change = "included"
)

// Look reads what a carry from a worktree would bring to one that is at the commit base. It writes nothing. What cannot
// be carried is a refusal in the plan; an error means that looking itself failed.
func Look(ctx context.Context, from worktree.Worktree, base string, opts Options) (*Plan, error) {
	ctx = pulse.Context(ctx)
	p := &Plan{from: from, base: base, opts: opts, fresh: true, named: map[string]*item{}, aside: map[string]kind{}}
	if from.Head != base {
		p.refuse("baseMismatch")
		return p, nil
	}
	var err error
	if p.seen, err = read(ctx, from, true); err != nil {
		return nil, err
	}
	if opts.removing { // what it would lose is stored by way of it
		err = p.seen.makePrivate()
	}
	if err == nil {
		err = p.judge(ctx)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	p.Argv = p.commands()
	return p, nil
}

// Counted says whether the numbers are known: a refusal may have come before anything, or not all, was counted.
func (p *Plan) Counted() bool { return p.counted }

// Refused is the first refusal, nil if there is none.
func (p *Plan) Refused() *Refusal {
	if len(p.Refusals) == 0 {
		return nil
	}
	return p.Refusals[0]
}

// Close removes the private copies of the parent's index and of its submodules'. There is nothing to close of a nil plan.
func (p *Plan) Close() {
	if p == nil {
		return
	}
	for _, s := range p.subs {
		s.plan.Close()
	}
	if !p.borrowed {
		p.seen.close()
	}
	p.merge.close()
}

func (p *Plan) refuse(code string, args ...string) {
	p.Refusals = append(p.Refusals, worktree.Refuse(code, args...))
}

// judge turns what was read into the two plans, what is left, and the refusals.
func (p *Plan) judge(ctx context.Context) error {
	s := p.seen.status
	if s.Head != p.base {
		p.refuse("parentMoved")
		return nil
	}
	if len(s.Unmerged) > 0 && !p.opts.removing {
		p.refuse("unmerged", "paths", strings.Join(s.Unmerged[:min(len(s.Unmerged), 5)], ", "))
		return nil
	}
	parent, err := openTree(p.from.Path)
	if err != nil {
		return err
	}
	defer parent.close()
	look := parent.lookup()
	choice := p.choose()
	for _, c := range s.Changed {
		if !choice.takes(c.Path) {
			p.left(c.Path, leftNotChosen)
			continue
		}
		if err := p.changed(look, c); err != nil {
			return err
		}
	}
	if err := p.unmerged(look); err != nil {
		return err
	}
	for _, name := range s.Untracked {
		if !choice.takes(strings.TrimSuffix(name, "/")) {
			if !strings.HasSuffix(name, "/") { // else leave names it
				p.left(name, leftNotChosen)
			}
			continue
		}
		if err := p.untracked(look, name); err != nil {
			return err
		}
	}
	if err := p.include(ctx, parent, choice); err != nil {
		return err
	}
	if name := choice.unused(); name != "" {
		p.refuse("notChanged", "path", name)
		return nil
	}
	if err := p.inside(ctx, look); err != nil {
		return err
	}
	if err := p.leave(look); err != nil {
		return err
	}
	slices.SortFunc(p.disk, func(a, b *item) int { return strings.Compare(a.path, b.path) })
	slices.SortFunc(p.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	p.counted = p.Refused() == nil // what was refused so far, the count has stopped at
	p.Refusals = append(p.Refusals, p.opts.Limits.Exceeded(p.Untracked, p.Bytes-p.includedBytes)...)
	return p.readable(ctx, parent)
}

// changed judges one path that git's status names: the index by its modes and objects, the disk by lstat.
func (p *Plan) changed(look *lookup, c git.Change) error {
	announced := c.IntentToAdd() || p.seen.gone[c.Path]
	inBase := c.ModeHead != 0 && !p.seen.gone[c.Path]
	inIndex := c.ModeIndex != 0 || announced
	s, err := p.lstat(look, c.Path)
	if err != nil {
		return err
	}
	if announced && s.kind == absent {
		p.left(c.Path, "intentToAddGone")
	}
	mode := p.seen.modes[c.Path]
	if announced && (s.kind == file || s.kind == link) && (mode == git.ModeLink) != (s.kind == link) {
		p.refuse("unsupportedState", "what", strconv.Quote(c.Path)+" was announced with git add -N and is of another type by now")
	}
	p.index.add(c, announced, s, mode)
	if !p.opts.Unstage && (c.Staged != '.' || announced) {
		p.Staged++
	}
	if p.opts.Unstage && !inBase && inIndex && s.kind == absent && !announced {
		p.left(c.Path, "stagedOnly")
	}
	submodule := c.ModeIndex == git.ModeSubmodule || !inIndex && c.ModeHead == git.ModeSubmodule
	switch {
	case s.kind == special:
		p.left(c.Path, "specialFile") // the child keeps what the base has there
	case s.kind == folder && submodule:
		if inBase && c.ModeHead != git.ModeSubmodule || !inBase {
			p.take(c.Path, s, inBase, stagedOnly) // an empty folder, as git makes one for a submodule
			return nil
		}
	case s.kind == file || s.kind == link:
		p.take(c.Path, s, inBase, changeOf(c, s, inBase, inIndex))
		return nil
	case inBase: // not there, or a folder whose files are named on their own
		p.take(c.Path, stat{}, true, deleted)
		return nil
	}
	p.aside[c.Path] = s.kind
	if c.Staged != '.' {
		p.Files = append(p.Files, File{Path: c.Path, Change: string(stagedOnly)})
	}
	return nil
}

func changeOf(c git.Change, s stat, inBase, inIndex bool) Change {
	switch {
	case !inIndex:
		return untracked // `git rm --cached`, and kept on disk
	case !inBase:
		return added
	case (c.ModeHead == git.ModeLink) != (s.kind == link) || c.ModeHead == git.ModeSubmodule:
		return typeChanged
	}
	return modified
}

func (p *Plan) untracked(look *lookup, name string) error {
	if strings.HasSuffix(name, "/") || p.named[name] != nil {
		return nil // a nested repository or worktree is named by leave; a kept `rm --cached` is named already
	}
	s, err := p.lstat(look, name)
	if err == nil && (s.kind == file || s.kind == link) {
		p.take(name, s, false, untracked)
	} else {
		p.aside[name] = s.kind // it went away meanwhile, and must stay away
	}
	return err
}

// take adds a path to the disk plan, once.
func (p *Plan) take(name string, s stat, inBase bool, change Change) {
	if p.named[name] != nil {
		return
	}
	if !safe(name) {
		p.refuse("unsupportedState", "what", "the path "+strconv.Quote(name))
		return
	}
	it := &item{path: name, was: s, inBase: inBase, counted: change}
	p.disk, p.named[name] = append(p.disk, it), it
	p.count(it)
}

// count adds an item to the numbers and files of a plan.
func (p *Plan) count(it *item) {
	f := File{Path: it.path, Change: string(it.counted)}
	switch it.counted {
	case untracked:
		p.Untracked++
	case included:
		p.Included++
	case deleted:
		p.Deleted++
	case added, modified, typeChanged:
		p.Tracked++
	}
	if it.was.kind == file {
		f.Bytes = it.was.size
		p.Bytes += it.was.size
	}
	p.Files = append(p.Files, f)
}

// lstat refuses what may not be looked at: everything else of its folder would be missing in silence.
func (p *Plan) lstat(look *lookup, name string) (stat, error) {
	s, err := look.lstat(name)
	if isDenied(err) {
		p.refuse("unreadable", "path", name)
		return stat{}, nil
	}
	return s, err
}

func (p *Plan) left(name, reason string) {
	p.Left = append(p.Left, Left{Path: strings.TrimSuffix(name, "/"), Reason: reason})
}

// readable opens each file once: what cannot be read is refused now, not found out in a half-made child.
func (p *Plan) readable(ctx context.Context, parent *tree) error {
	if p.Refused() != nil {
		return nil
	}
	denied := make([]bool, len(p.disk))
	err := inParallel(ctx, len(p.disk), func(_ context.Context, from, to int) error {
		for i, it := range p.disk[from:to] {
			if it.was.kind != file {
				continue
			}
			f, err := parent.open(it.path)
			if err == nil {
				f.Close()
				continue
			}
			if !isAbsent(err) && !isDenied(err) && !isLoop(err) {
				return fmt.Errorf("carry: read %s: %w", it.path, err)
			}
			denied[from+i] = isDenied(err)
		}
		return nil
	})
	for i, no := range denied {
		if no {
			p.refuse("unreadable", "path", p.disk[i].path)
		}
	}
	return err
}
