package carry

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/sidefork/sidefork/carry/git"
)

// mostMerged is how much of one file is merged: it is held in memory three times.
const mostMerged = 64 << 20

func dirOf(name string) string { return path.Dir(name) }

func timeOf(ns int64) time.Time { return time.Unix(0, ns) }

// mergeObjects merges the content of three objects as they are; the result gets its object when the carry is written.
func (m *meeting) mergeObjects(ctx context.Context, s three) (object, why string, err error) {
	var sides [3][]byte
	for _, of := range []stagedAs{s.ours, s.base, s.theirs} {
		if big, err := m.isBig(ctx, of); big || err != nil {
			return s.ours.object, tooBig, err
		}
	}
	for i, of := range []stagedAs{s.ours, s.base, s.theirs} {
		if sides[i], err = (git.Command{Dir: m.source.Path}).Blob(ctx, of.object); err != nil {
			return "", "", err
		}
	}
	merged, why, err := m.mergeLines(ctx, s, sides)
	if why != "" || err != nil {
		return s.ours.object, why, err
	}
	object = objectOf(merged, len(s.ours.object))
	m.blobs[object] = merged
	return object, "", nil
}

// isBig says of an object that it is too big to be merged, or to be held in memory for comparing it.
func (m *meeting) isBig(ctx context.Context, of stagedAs) (bool, error) {
	if of.mode == 0 || of.mode == git.ModeSubmodule {
		return false, nil
	}
	size, err := git.Command{Dir: m.source.Path}.BlobSize(ctx, of.object)
	return size > mostMerged, err
}

// mergeLines merges ours, base and theirs. why is "" where they do not meet in the same lines.
func (m *meeting) mergeLines(ctx context.Context, s three, sides [3][]byte) (merged []byte, why string, err error) {
	ours, base, theirs := sides[0], sides[1], sides[2]
	switch {
	case bytes.Equal(base, theirs), bytes.Equal(ours, theirs):
		return ours, "", nil
	case bytes.Equal(base, ours):
		return theirs, "", nil
	}
	attributes, err := (git.Command{Dir: m.target.Path}).Attributes(ctx, s.at, "merge")
	if err != nil {
		return nil, "", err
	}
	driver := attributes["merge"]
	switch driver {
	case "set", "unspecified", "text", "union":
	case "unset", "binary":
		return nil, "changed on both sides, and the attribute merge says that it has no lines to merge", nil
	default:
		return nil, "changed on both sides, and has a merge driver of its own (" + driver + ")", nil
	}
	for _, content := range sides {
		if len(content) > mostMerged {
			return nil, tooBig, nil
		}
		if bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0 { // what git takes for binary
			return nil, "changed on both sides, and binary", nil
		}
	}
	names := [3]string{"ours", "base", "theirs"}
	for i, content := range sides {
		names[i] = filepath.Join(m.private.path, names[i])
		if err := os.WriteFile(names[i], content, 0o600); err != nil {
			return nil, "", fmt.Errorf("carry: merge %s: %w", s.name, err)
		}
	}
	merged, clean, err := git.Command{Dir: m.target.Path}.MergeFiles(ctx, names[0], names[1], names[2], driver == "union")
	if err == nil && !clean {
		why = bothChanged
	}
	return merged, why, err
}

// meetOnDisk merges what the source has on disk into what the target has there.
func (m *meeting) meetOnDisk(ctx context.Context, s three) error {
	if s.it == nil {
		if s.at != s.to {
			m.conflict(s, "renamed in the source and gone there, and changed in the target")
		}
		return nil
	}
	t := s.it.was
	switch {
	case m.outside(s):
		m.plan.refuse("unsupportedState", "what", s.name+" is changed outside of the source's sparse checkout")
	case t.kind == absent && s.ours.mode == 0:
	case t.kind == absent && m.movedTo[s.name] != "":
		m.put(s, s.it)
	case t.kind == absent:
		m.conflict(s, deletedHere)
	case t.kind == folder || s.base.mode == git.ModeSubmodule || s.ours.mode == git.ModeSubmodule:
		if s.ours != s.theirs && (t.kind == folder || s.ours != s.base) {
			m.conflict(s, otherType)
		}
	case s.ours.mode == 0:
		same, err := m.theirsIsBase(ctx, s)
		if err == nil && !same {
			m.conflict(s, deletedThere)
		}
		return err
	case t.kind == link || s.ours.mode == git.ModeLink || s.base.mode == git.ModeLink:
		return m.meetLinks(ctx, s)
	default:
		return m.meetFiles(ctx, s)
	}
	return nil
}

// outside says that the source's path is absent because of a sparse checkout.
func (m *meeting) outside(s three) bool {
	at := m.plan.seen.index.Find(s.name, 0)
	return at >= 0 && m.plan.seen.index.Entries[at].SkipWorktree && s.it.was.kind == absent
}

// settled says that git sees no change of content on the source's disk.
func (m *meeting) settled(s three) bool {
	c, known := m.changes[s.name]
	return known && c.Worktree == '.' && s.theirs.mode != 0 && s.theirs.object == s.base.object && (s.theirs.mode == git.ModeLink) == (s.base.mode == git.ModeLink)
}

// theirsIsBase says whether the source has on disk what its commit has, whatever is staged.
func (m *meeting) theirsIsBase(ctx context.Context, s three) (bool, error) {
	switch {
	case s.theirs == s.base && m.settled(s):
		return true, nil
	case s.base.mode == 0 || (s.it.was.kind == link) != (s.base.mode == git.ModeLink):
		return false, nil
	case s.it.was.kind == link:
		text, err := m.here.readlink(s.name)
		return err == nil && objectOf([]byte(text), len(s.base.object)) == s.base.object, err
	case m.execute(s) != (s.base.mode == git.ModeExecutable), s.it.was.size > mostMerged:
		return false, nil
	}
	if rule, err := ruleOf(ctx, m.source.Path, m.baseName(s)); rule != "" || err != nil {
		return false, err
	}
	if big, err := m.isBig(ctx, s.base); big || err != nil {
		return false, err
	}
	theirs, err := m.readSource(s)
	if err != nil {
		return false, err
	}
	base, err := m.checkedOut(ctx, s)
	return bytes.Equal(theirs, base), err
}

// meetLinks is for three sides of which one is a link at least: none has lines.
func (m *meeting) meetLinks(ctx context.Context, s three) error {
	same, err := m.theirsIsBase(ctx, s)
	if err != nil || same {
		return err
	}
	text := ""
	if s.it.was.kind == link {
		if text, err = m.here.readlink(s.name); err != nil {
			return m.vanished(s, err)
		}
	}
	switch {
	case s.it.was.kind == link && s.ours.mode == git.ModeLink && objectOf([]byte(text), len(s.ours.object)) == s.ours.object:
		return nil // the target has it already
	case s.ours == s.base && s.it.was.kind == link:
		it, err := m.makeLink(s.to, text, s.it.counted)
		m.put(s, it)
		return err
	case s.ours == s.base:
		return m.bringFile(s, m.here, s.name, s.it.was.mode)
	case s.base.mode == 0:
		m.conflict(s, bothAdded)
	case s.base.mode == git.ModeLink && s.ours.mode == git.ModeLink && s.it.was.kind == link:
		m.conflict(s, bothChanged)
	default:
		m.conflict(s, otherType)
	}
	return nil
}

// meetFiles merges three files, mode and content each by itself.
func (m *meeting) meetFiles(ctx context.Context, s three) error {
	ours, err := m.there.at(s.at)
	if err != nil {
		return err
	}
	theirX, baseX, ourX := m.execute(s), s.base.mode == git.ModeExecutable, s.ours.mode == git.ModeExecutable
	x := ourX
	if ourX == baseX {
		x = theirX
	}
	from, name, bits, has := m.there, s.at, ours.mode, ourX
	switch {
	case m.settled(s):
	case s.base.mode != 0 && s.ours.object == s.base.object:
		from, name, bits, has = m.here, s.name, s.it.was.mode, theirX
	default:
		if max(s.it.was.size, ours.size) > mostMerged {
			m.conflict(s, tooBig)
			return nil
		}
		merged, sameAsOurs, err := m.mergeDisk(ctx, s)
		if merged == nil || err != nil {
			return err
		}
		if s.base.mode == 0 && !(sameAsOurs && theirX == ourX) {
			m.conflict(s, bothAdded)
			return nil
		}
		if !sameAsOurs {
			it, err := m.make(s.to, bytes.NewReader(merged), withExecute(bits, x, ourX), s.it.counted, 0)
			m.put(s, it)
			return err
		}
	}
	if from == m.there && x == ourX && s.at == s.to {
		return nil // the target has it already
	}
	return m.bringFile(s, from, name, withExecute(bits, x, has))
}

// mergeDisk merges what the two have on disk; nil where they do not fit, which is noted.
func (m *meeting) mergeDisk(ctx context.Context, s three) (merged []byte, sameAsOurs bool, err error) {
	for _, side := range []struct{ top, name string }{{m.target.Path, s.at}, {m.source.Path, s.name}, {m.source.Path, m.baseName(s)}} {
		rule, err := ruleOf(ctx, side.top, side.name)
		if rule != "" {
			m.ruled = append(m.ruled, s.name+"\tchanged on both sides, and under the rule "+rule)
		}
		if rule != "" || err != nil {
			return nil, false, err
		}
	}
	var sides [3][]byte
	if sides[2], err = m.readSource(s); err != nil {
		return nil, false, err
	}
	if sides[0], err = readWhole(m.there, s.at); err != nil {
		return nil, false, err
	}
	if s.base.mode == 0 {
		return sides[0], bytes.Equal(sides[0], sides[2]), nil
	}
	if big, err := m.isBig(ctx, s.base); big || err != nil {
		if err == nil {
			m.conflict(s, tooBig)
		}
		return nil, false, err
	}
	if sides[1], err = m.checkedOut(ctx, s); err != nil {
		return nil, false, err
	}
	merged, why, err := m.mergeLines(ctx, s, sides)
	if why != "" {
		m.conflict(s, why)
	}
	if why != "" || err != nil {
		return nil, false, err
	}
	if merged == nil {
		merged = []byte{}
	}
	return merged, bytes.Equal(merged, sides[0]), nil
}

// ruleOf is a rule that stands between the bytes of a file and those of its object in more than line ends, "" if none does.
func ruleOf(ctx context.Context, top, name string) (string, error) {
	rules := []string{"ident", "filter", "working-tree-encoding"}
	values, err := git.Command{Dir: top}.Attributes(ctx, name, rules...)
	for _, rule := range rules {
		if v := values[rule]; err == nil && v != "unspecified" && v != "unset" {
			return rule, nil
		}
	}
	return "", err
}

// checkedOut is the base's file as a checkout in the source writes it. No rule but one of line ends may be on it: its
// program would run.
func (m *meeting) checkedOut(ctx context.Context, s three) ([]byte, error) {
	return git.Command{Dir: m.source.Path}.CheckedOut(ctx, m.source.Head, m.baseName(s))
}

// baseName is what the source's commit calls the path.
func (m *meeting) baseName(s three) string {
	if old := m.moved[s.name]; old != "" && m.changes[s.name].ModeHead == 0 {
		return old
	}
	return s.name
}

// execute says whether the source's file may be executed, as git sees it (core.fileMode).
func (m *meeting) execute(s three) bool {
	if c := m.changes[s.name]; c.ModeWorktree != 0 {
		return c.ModeWorktree == git.ModeExecutable
	}
	return s.it.was.mode&0o100 != 0
}

// withExecute gives or takes the right to execute to all who may read.
func withExecute(mode uint32, want, has bool) uint32 {
	switch {
	case want == has:
		return mode
	case want:
		return mode | mode&0o444>>2
	}
	return mode &^ 0o111
}
