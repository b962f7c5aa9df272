package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Difference is a path that is not in a worktree as it is in a commit.
type Difference struct {
	Path, OldPath        string // OldPath: of one that was renamed
	Letter               byte   // A M D R T U, as git has it
	Additions, Deletions int    // lines
	Binary               bool   // and then no lines are counted
}

// Differences compares a commit with the files of a worktree, as far as its index knows them. Nothing is written, no
// program of the repository's choice runs. What is inside submodules is not looked at.
func Differences(ctx context.Context, c Command, commit string) ([]Difference, error) {
	c.Args = []string{
		"diff", "-z", "--raw", "--numstat", "-M", "--abbrev=40", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", commit, "--",
	}
	fields, err := c.paths(ctx)
	if err != nil {
		return nil, err
	}
	return parseDifferences(fields)
}

// parseDifferences reads ":<modes and objects> M" and a path each, two for a rename, and then "added<TAB>deleted<TAB>path"
// each, where a rename's path is empty and its two names follow.
func parseDifferences(fields []string) ([]Difference, error) {
	var all []Difference
	at := map[string]int{}
	next := func() (field string) {
		if len(fields) > 0 {
			field, fields = fields[0], fields[1:]
		}
		return field
	}
	for len(fields) > 0 {
		record := next()
		bad := fmt.Errorf("git: diff: cannot read %q", short(record))
		if strings.HasPrefix(record, ":") {
			parts := strings.Split(record, " ")
			if len(parts) != 5 || parts[4] == "" || len(fields) == 0 {
				return nil, bad
			}
			d := Difference{Letter: parts[4][0], Path: next()}
			if d.Letter == 'R' || d.Letter == 'C' {
				d.OldPath, d.Path = d.Path, next()
			}
			if d.Path == "" {
				return nil, bad
			}
			if i, seen := at[d.Path]; seen { // an unmerged path is named twice
				if all[i].Letter == 'U' {
					continue
				}
				all[i] = d
				continue
			}
			at[d.Path] = len(all)
			all = append(all, d)
			continue
		}
		parts := strings.SplitN(record, "\t", 3)
		if len(parts) != 3 {
			return nil, bad
		}
		name := parts[2]
		if name == "" {
			next()
			name = next()
		}
		i, known := at[name]
		if !known {
			return nil, bad
		}
		if parts[0] == "-" {
			all[i].Binary = true
			continue
		}
		var err, err2 error
		all[i].Additions, err = strconv.Atoi(parts[0])
		all[i].Deletions, err2 = strconv.Atoi(parts[1])
		if err != nil || err2 != nil {
			return nil, bad
		}
	}
	return all, nil
}

// Apart counts the commits that only the one and only the other has.
func Apart(ctx context.Context, c Command, one, other string) (ofOne, ofOther int, err error) {
	c.Args = []string{"rev-list", "--left-right", "--count", one + "..." + other}
	out, err := c.Output(ctx)
	if err == nil {
		_, err = fmt.Sscan(string(out), &ofOne, &ofOther)
	}
	return ofOne, ofOther, err
}
