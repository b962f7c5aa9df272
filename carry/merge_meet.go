package carry

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// meeting is where the changes of a source meet what its target has.
type meeting struct {
	*merging
	plan        *Plan
	here, there *tree // the source, the target
	changes     map[string]git.Change
	away        map[string]string // what the target has renamed since the source's commit, old to new
	moved       map[string]string // what the source has renamed and staged, new to old
	movedTo     map[string]string // the same, old to new

	items   []*item
	entries map[string]entryChange // relative to the target's
	taken   map[string]bool        // the paths that have got something

	conflicts, collisions, ruled []string // "PATH\tWHY"
}

// three are the sides of one path.
type three struct {
	name               string // in the source
	at                 string // in the target, as it was
	to                 string // in the target, as it will be
	it                 *item  // what is to happen on disk, nil for nothing
	tracked            bool
	base, theirs, ours stagedAs // theirs is what is staged
}

func (m *meeting) all(ctx context.Context) error {
	m.changes = map[string]git.Change{}
	for _, c := range m.plan.seen.status.Changed {
		m.changes[c.Path] = c
	}
	names := setOf(slices.Collect(maps.Keys(m.plan.named)))
	for name := range m.plan.index.entries {
		names[name] = true
	}
	if err := m.findRenames(ctx); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := m.meet(ctx, m.sides(name)); err != nil {
			return err
		}
	}
	m.typesMeet()
	return nil
}

// findRenames asks for renames only where a path that the source has changed is gone in the target, or the other way
// round: git compares many files with many for it.
func (m *meeting) findRenames(ctx context.Context) (err error) {
	var gone, left bool
	for name, e := range m.plan.index.entries {
		base, ours := asEntry(e.baseMode, e.baseObject), m.entry(name)
		gone = gone || base.mode != 0 && ours.mode == 0
		left = left || base.mode != 0 && e.mode == 0 && ours != base
	}
	if gone {
		if m.away, err = (git.Command{Dir: m.target.Path}).Renames(ctx, m.source.Head, m.target.Head); err != nil {
			return err
		}
	}
	if left {
		if m.movedTo, err = (git.Command{Dir: m.source.Path}).StagedRenames(ctx, m.source.Head); err != nil {
			return err
		}
	}
	m.moved = map[string]string{}
	for from, to := range m.movedTo {
		m.moved[to] = from
	}
	return nil
}

func asEntry(mode uint32, object string) stagedAs {
	if mode == 0 {
		return stagedAs{}
	}
	return stagedAs{mode, object}
}

func (m *meeting) sides(name string) three {
	e, tracked := m.plan.index.entries[name]
	s := three{
		name: name, at: name, to: name, it: m.plan.named[name], tracked: tracked,
		base: asEntry(e.baseMode, e.baseObject), theirs: asEntry(e.mode, e.object), ours: m.entry(name),
	}
	if old, ok := m.moved[name]; ok && s.base.mode == 0 { // the source has renamed it
		was := m.plan.index.entries[old]
		base, ours := asEntry(was.baseMode, was.baseObject), m.entry(old)
		switch {
		case s.ours.mode != 0 && m.away[old] == name: // and the target did so too
			s.base = base
		case s.ours.mode == 0 && ours.mode != 0 && ours != base: // what the target did to it goes along
			s.base, s.ours, s.at = base, ours, old
		}
	} else if to, ok := m.away[name]; ok && s.base.mode != 0 && s.ours.mode == 0 { // the target has renamed it
		s.ours, s.at, s.to = m.entry(to), to, to
	}
	return s
}

// meet decides about one path.
func (m *meeting) meet(ctx context.Context, s three) error {
	renamedThere := s.to != s.name
	switch {
	case !s.tracked && s.ours.mode != 0:
		m.collisions = append(m.collisions, s.name+"\tit is no tracked file in the source, and one in the target")
		return nil
	case renamedThere && m.movedTo[s.name] == s.to:
		return nil // both have renamed it: its new name is another path of the plan
	case s.base.mode != 0 && s.ours.mode == 0 && m.movedTo[s.name] != "":
		m.conflict(s, "renamed to "+m.movedTo[s.name]+" in the source, and deleted in the target")
		return nil
	case renamedThere && (s.theirs.mode == 0 && !m.plan.opts.Unstage || s.it != nil && s.it.was.kind == absent):
		m.conflict(s, "deleted in the source, and renamed to "+s.to+" in the target")
		return nil
	case s.at == s.to && s.to == s.name && s.ours == s.base: // the target has not touched it
		if s.tracked {
			m.entries[s.name] = m.plan.index.entries[s.name]
		}
		m.put(s, s.it)
		return nil
	}
	if err := m.meetInIndex(ctx, s); err != nil {
		return err
	}
	return m.meetOnDisk(ctx, s)
}

func (m *meeting) conflict(s three, why string) {
	for _, line := range m.conflicts {
		if strings.HasPrefix(line, s.name+"\t") {
			return
		}
	}
	m.conflicts = append(m.conflicts, s.name+"\t"+why)
}

// put adds an item to the plan, nil for none.
func (m *meeting) put(s three, it *item) {
	if it == nil {
		return
	}
	switch {
	case m.taken[it.path]:
		m.conflict(s, "two changes of the source meet in "+it.path+" of the target")
	case m.hidden(it.path):
		m.plan.refuse("unsupportedState", "what", it.path+" is skip-worktree or assume-unchanged in the target")
	}
	m.taken[it.path] = true
	m.items = append(m.items, it)
}

const (
	bothChanged  = "changed on both sides in the same lines"
	bothAdded    = "added on both sides"
	deletedHere  = "deleted in the source, and changed in the target"
	deletedThere = "changed in the source, and deleted in the target"
	tooBig       = "changed on both sides, and too big to be merged"
	otherType    = "changed on both sides, and of another type on one of them"
)

// meetInIndex merges the entry that is staged in the source into the target's.
func (m *meeting) meetInIndex(ctx context.Context, s three) error {
	now := m.entry(s.to)
	result := s.theirs
	switch {
	case m.plan.opts.Unstage || !s.tracked:
		result = now
	case s.theirs.mode == 0 && m.movedTo[s.name] != "" && s.ours.mode != 0: // what the target did to it has gone along
	default:
		merged, why, err := m.mergeEntries(ctx, s)
		if err != nil {
			return err
		}
		if result = merged; why != "" {
			m.conflict(s, why)
		}
	}
	none := git.NullID(m.source.Head)
	m.entries[s.to] = entryChange{now.mode, result.mode, orNone(now.object, none), orNone(result.object, none)}
	return nil
}

func orNone(object, none string) string {
	if object == "" {
		return none
	}
	return object
}

// mergeEntries merges mode and content each by itself, where all three are files.
func (m *meeting) mergeEntries(ctx context.Context, s three) (result stagedAs, why string, err error) {
	b, o, t := s.base, s.ours, s.theirs
	switch {
	case t == b:
		return o, "", nil
	case o == b, o == t:
		return t, "", nil
	case b.mode == 0:
		return o, bothAdded, nil
	case t.mode == 0:
		return o, deletedHere, nil
	case o.mode == 0:
		return o, deletedThere, nil
	case !isFileMode(b.mode) || !isFileMode(o.mode) || !isFileMode(t.mode):
		if b.mode == o.mode && b.mode == t.mode {
			return o, bothChanged, nil
		}
		return o, otherType, nil
	}
	result = stagedAs{o.mode, o.object}
	if o.mode == b.mode {
		result.mode = t.mode
	}
	switch {
	case t.object == b.object, t.object == o.object:
	case o.object == b.object:
		result.object = t.object
	default:
		result.object, why, err = m.mergeObjects(ctx, s)
	}
	return result, why, err
}

func isFileMode(mode uint32) bool { return mode == git.ModeFile || mode == git.ModeExecutable }

// typesMeet finds files in the place of folders, and the other way round, on disk and in the index: a file of the plan
// below a file of the target, or above some, which the plan does not remove.
func (m *meeting) typesMeet() {
	gone := map[string]bool{}
	for _, it := range m.items {
		gone[it.path] = it.was.kind == absent
	}
	for _, it := range m.items {
		if it.was.kind != absent && m.entry(it.path).mode == 0 {
			m.typeMeets(it.path, func(name string) bool { return gone[name] })
		}
	}
	if m.plan.opts.Unstage {
		return
	}
	for name, e := range m.entries {
		if e.mode != 0 && e.baseMode == 0 {
			m.typeMeets(name, func(name string) bool { e, ok := m.entries[name]; return ok && e.mode == 0 })
		}
	}
	slices.Sort(m.conflicts)
}

func (m *meeting) typeMeets(name string, gone func(string) bool) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if m.entry(dir).mode != 0 && !gone(dir) {
			m.conflict(three{name: name}, fmt.Sprintf("the target has a file %s", dir))
			return
		}
	}
	for _, e := range m.below(name) {
		if !gone(e.Path) {
			m.conflict(three{name: name}, fmt.Sprintf("the target has a folder there, with %s", e.Path))
			return
		}
	}
}
