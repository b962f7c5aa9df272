package carry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// A target at another commit than its source gets the source's changes merged into what it has: for each path that the
// source has changed there are three sides, base (the source's commit), theirs (the source now) and ours (the target), and
// they meet twice, as index entries and as files on disk (merge_meet.go). What comes of it is known whole, in a private
// folder, before anything is written: conflicts are refusals like any other. Then it is a plan like any other, relative to
// the target's commit, that the same writer writes and the same undo takes back; its proof is another one
// (merge_into.go), since the two sides need not be equal.
//
// Where the target has a path as the base has it, the source's bytes come as they are, through no filter. Only where both
// have changed a file its lines are merged, in the form that they have on disk, so that line ends are what they are
// there; where ident, a filter or an encoding stands between disk and object such a path is refused.

// merging is what a plan has beside its own fields when its target is at another commit.
type merging struct {
	source, target worktree.Worktree
	private        privateFolder
	made           *tree             // files that are neither side's, at the paths that they will have
	index          index             // the target's as it was
	stats          []stat            // of the target's files, one for each entry
	blobs          map[string][]byte // merged content of index entries, by object id: no object holds it yet
	sources        map[string]seen   // the paths of the source that the merge is made of
}

// seen is what was seen of a source's file.
type seen struct {
	stat
	sum  [sha256.Size]byte // of its bytes, where the merge has read them
	read bool
}

func (m *merging) close() {
	if m == nil {
		return
	}
	if m.made != nil {
		m.made.close()
	}
	m.private.remove()
}

// onto turns a plan for the source's own commit into one for a target at another, with the refusals that come of it:
// mergeConflict, mergeFiltered, collision, and what is in the way. It writes nothing but the private folder.
func (p *Plan) onto(ctx context.Context, target worktree.Worktree, r *reading, there *tree) error {
	m := &merging{source: p.from, target: target, index: r.index, blobs: map[string][]byte{}, sources: map[string]seen{}}
	p.merge = m // closed with the plan, whatever happens
	var err error
	if m.private, err = newPrivateFolder(p.from.Path, target.Path); err != nil {
		return err
	}
	folder := filepath.Join(m.private.path, "made")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("carry: merge: %w", err)
	}
	if m.made, err = openTree(folder); err != nil {
		return err
	}
	if m.stats, err = m.statTarget(ctx, there); err != nil {
		return err
	}
	here, err := openTree(p.from.Path)
	if err != nil {
		return err
	}
	defer here.close()
	meet := &meeting{merging: m, plan: p, here: here, there: there, entries: map[string]entryChange{}, taken: map[string]bool{}}
	if err := meet.all(ctx); err != nil {
		return err
	}
	for _, it := range p.disk {
		if s, known := m.sources[it.path]; !known || !s.read {
			m.sources[it.path] = seen{stat: it.was}
		}
	}
	p.become(meet)
	p.refuseAll(worktree.Refuse("collision", "paths", namesOf(meet.collisions)), meet.collisions)
	p.refuseAll(worktree.Refuse("mergeFiltered", "paths", namesOf(meet.ruled)), meet.ruled)
	p.refuseAll(worktree.Refuse("mergeConflict", "paths", namesOf(meet.conflicts)), meet.conflicts)
	if p.Refused() != nil {
		return nil
	}
	return p.inTheWay(there)
}

// refuseAll refuses lines "PATH<TAB>WHY", if there are any.
func (p *Plan) refuseAll(no *Refusal, lines []string) {
	if len(lines) > 0 {
		no.Detail = strings.ReplaceAll(strings.Join(lines, "\n"), "\t", ": ")
		p.Refusals = append(p.Refusals, no)
	}
}

// namesOf gives the first few paths of such lines.
func namesOf(lines []string) string {
	const most = 5
	var names []string
	for _, line := range lines[:min(len(lines), most)] {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	if more := len(lines) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// become makes the plan what the meeting has found.
func (p *Plan) become(meet *meeting) {
	p.base = p.merge.target.Head
	p.disk, p.named = meet.items, map[string]*item{}
	slices.SortFunc(p.disk, func(a, b *item) int { return strings.Compare(a.path, b.path) })
	p.index.entries = meet.entries
	p.index.announce = slices.DeleteFunc(p.index.announce, func(a announced) bool { // the target has an entry of its own
		return meet.entry(a.path).mode != 0 && meet.entries[a.path].mode != 0
	})
	p.Numbers, p.Files = Numbers{}, nil
	for _, it := range p.disk {
		p.named[it.path] = it
		p.count(it)
	}
	for name, e := range p.index.entries {
		if !e.staged() || p.opts.Unstage {
			continue
		}
		p.Staged++
		if p.named[name] == nil {
			p.Files = append(p.Files, File{Path: name, Change: string(stagedOnly)})
		}
	}
	if !p.opts.Unstage {
		for _, a := range p.index.announce {
			if !p.index.entries[a.path].staged() {
				p.Staged++
			}
		}
	}
	slices.SortFunc(p.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	p.Argv = p.commands()
}

// entry is what the target has for a path; a zero one where it has none.
func (m *merging) entry(name string) stagedAs {
	at := m.index.Find(name, 0)
	if at < 0 {
		return stagedAs{}
	}
	e := &m.index.Entries[at]
	return stagedAs{e.Mode, hex.EncodeToString([]byte(e.Object))}
}

// hidden says that a bit of the target's entry would hide what comes to its file.
func (m *merging) hidden(name string) bool {
	at := m.index.Find(name, 0)
	return at >= 0 && (m.index.Entries[at].SkipWorktree || m.index.Entries[at].AssumeSame)
}

// below gives the target's entries in a folder.
func (m *merging) below(dir string) []git.Entry {
	all := m.index.Entries
	from := sort.Search(len(all), func(i int) bool { return all[i].Path >= dir+"/" })
	to := from
	for to < len(all) && strings.HasPrefix(all[to].Path, dir+"/") {
		to++
	}
	return all[from:to]
}

func (m *merging) statTarget(ctx context.Context, there *tree) ([]stat, error) {
	stats := make([]stat, len(m.index.Entries))
	err := inParallel(ctx, len(stats), func(_ context.Context, from, to int) (err error) {
		look := there.lookup()
		for i := from; i < to && err == nil; i++ {
			if m.index.Entries[i].Mode != git.ModeSubmodule {
				stats[i], err = look.lstat(m.index.Entries[i].Path)
			}
		}
		return err
	})
	return stats, err
}

// make makes a file that is neither side's in the private folder, and the item that brings it.
func (m *merging) make(name string, content io.Reader, mode uint32, change Change, mtime int64) (*item, error) {
	if err := m.made.root.MkdirAll(filepath.FromSlash(dirOf(name)), 0o700); err != nil {
		return nil, fmt.Errorf("carry: merge %s: %w", name, err)
	}
	f, err := m.made.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("carry: merge %s: %w", name, err)
	}
	_, err = io.Copy(f, content)
	if err == nil {
		err = chmodFile(f, mode|0o400) // it is read again; who owns it may read it there too
	}
	if err = errors.Join(err, f.Close()); err == nil && mtime != 0 {
		err = m.made.root.Chtimes(name, timeOf(mtime), timeOf(mtime))
	}
	if err != nil {
		return nil, fmt.Errorf("carry: merge %s: %w", name, err)
	}
	return m.bring(name, change)
}

// makeLink is make for a link.
func (m *merging) makeLink(name, text string, change Change) (*item, error) {
	err := m.made.root.MkdirAll(filepath.FromSlash(dirOf(name)), 0o700)
	if err == nil {
		err = m.made.root.Symlink(text, name)
	}
	if err != nil {
		return nil, fmt.Errorf("carry: merge %s: %w", name, err)
	}
	return m.bring(name, change)
}

func (m *merging) bring(name string, change Change) (*item, error) {
	was, err := m.made.at(name)
	return &item{path: name, was: was, inBase: m.entry(name).mode != 0, counted: change, merged: true}, err
}
