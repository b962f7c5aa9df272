package carry

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// entries are index entries by path: those that are not the base's.
type entries map[string]stagedAs

type stagedAs struct {
	mode   uint32
	object string
}

// knowsEntries says whether a step has recorded which entries it writes.
func (u undo) knowsEntries() bool {
	return slices.ContainsFunc(u.journal.steps, func(s Step) bool { return s.Carry != nil && s.Carry.Entries != nil })
}

// lookAtEntries gives the paths at which the index is neither the base's nor what a step has written: somebody has
// staged something since, or has taken something out again. A step's entries are written all at once, so that the index
// is exactly what one of the steps says, or not yet written.
func (u undo) lookAtEntries(ctx context.Context, c git.Command, base, top string) ([]string, error) {
	now, err := stagedNow(ctx, c, base)
	if err != nil {
		return nil, err
	}
	loose := map[string]bool{} // paths whose entries nobody has recorded
	written := []entries{{}}
	for _, s := range u.journal.steps {
		switch {
		case s.Carry == nil:
		case s.Carry.Entries == nil:
			for _, p := range s.Carry.Paths {
				loose[string(p.Path)] = true
			}
		default:
			all := entries{}
			for _, e := range s.Carry.Entries {
				all[string(e.Path)] = stagedAs{e.Mode, e.Object}
			}
			written = append(written, all)
		}
	}
	var differ []string
	for _, then := range written {
		if differ = now.differ(then, loose); len(differ) == 0 {
			return nil, nil
		}
	}
	for i, p := range differ {
		differ[i] = filepath.Join(top, filepath.FromSlash(p))
	}
	return differ, nil
}

// differ gives the paths at which two are not the same, sorted, but for those in except.
func (x entries) differ(y entries, except map[string]bool) []string {
	var paths []string
	for p, e := range x {
		if y[p] != e && !except[p] {
			paths = append(paths, p)
		}
	}
	for p := range y {
		if _, both := x[p]; !both && !except[p] {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

// stagedNow reads the entries of an index that are not the base's; one that only announces a path is none.
func stagedNow(ctx context.Context, c git.Command, base string) (entries, error) {
	c.Args = []string{
		"diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--ignore-submodules=none",
		"--ita-invisible-in-index", base, "--",
	}
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	now := entries{}
	for records := string(out); records != ""; { // ":100644 100644 <object> <object> M<NUL>path<NUL>"
		head, rest, _ := strings.Cut(records, "\x00")
		name, rest, whole := strings.Cut(rest, "\x00")
		f := strings.Fields(head)
		if !whole || len(f) != 5 {
			return nil, fmt.Errorf("carry: diff-index: cannot read %q", head)
		}
		mode, err := strconv.ParseUint(f[1], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("carry: diff-index: %w", err)
		}
		now[name], records = stagedAs{uint32(mode), f[3]}, rest
	}
	return now, nil
}
