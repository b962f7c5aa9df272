// Package carry brings the uncommitted work of one worktree to another of the same repository, proved, or not at all.
//
// Look reads the source and gives a Plan: every file that would come, every one that stays and why, and every refusal,
// with nothing written. Plan.Against looks at a target that exists; one at another commit makes it a plan that merges
// (merge.go). Plan.Into writes and proves it; it says "carried" only after both sides were found equal, entry for index
// entry and byte for byte (of a merge: after the target was found to have what the merge has made), and the source to have
// stood still. What it writes is recorded beforehand in an Operation, whose undo takes it back, in this process or, after a
// crash, in the next one.
// It never writes to the source: not its index, not its time stamps, no lock. It never follows a link, never removes a
// tree recursively and never passes content through git's filters.
package carry

import (
	"cmp"
	"strconv"

	"github.com/sidefork/sidefork/carry/worktree"
)

// Refusal is something that cannot be carried (worktree.Refusal).
type Refusal = worktree.Refusal

// Options say what is to be carried.
type Options struct {
	Unstage bool   // everything arrives unstaged (the index of the target stays that of its base)
	Limits  Limits // counted before anything is written

	// Include are patterns in the syntax of a .gitignore, one line each: of the ignored files those come that they match.
	Include     []string
	IncludeFile bool // and those that the patterns in the source's .worktreeinclude match

	// Paths are all that is to be carried, from the top level, with slashes: files, or folders with all that is in them. The
	// other changes stay, and are named. nil: everything. A target has to exist.
	Paths []string

	depth    int  // of how many submodules the source lies in
	removing bool // nothing is to be carried: the look is for what a removal would lose (remove.go)
}

// Limits bound a carry. The zero value of each means its default.
type Limits struct {
	Files int   // untracked files
	Bytes int64 // tracked and untracked content together

	IncludedFiles int   // ignored files that are asked for
	IncludedBytes int64 // their content
}

// The default limits (contract.md, "Decided").
const (
	DefaultMaxFiles = 20_000
	DefaultMaxBytes = 1 << 30

	DefaultMaxIncludedFiles = 200_000
	DefaultMaxIncludedBytes = 10 << 30
)

func (l Limits) orDefault() Limits {
	return Limits{
		Files: cmp.Or(l.Files, DefaultMaxFiles), Bytes: cmp.Or(l.Bytes, DefaultMaxBytes),
		IncludedFiles: cmp.Or(l.IncludedFiles, DefaultMaxIncludedFiles), IncludedBytes: cmp.Or(l.IncludedBytes, DefaultMaxIncludedBytes),
	}
}

// Exceeded refuses so many untracked files and so many bytes of content; empty where they are within the limits.
func (l Limits) Exceeded(files int, size int64) []*Refusal {
	l = l.orDefault()
	var no []*Refusal
	if files > l.Files {
		no = append(no, worktree.Refuse("tooManyFiles", "count", strconv.Itoa(files), "limit", strconv.Itoa(l.Files)))
	}
	if size > l.Bytes {
		no = append(no, worktree.Refuse("tooManyBytes", "bytes", strconv.FormatInt(size, 10), "limit", strconv.FormatInt(l.Bytes, 10)))
	}
	return no
}

// File is one path of a plan.
type File struct {
	Path   string `json:"path"`   // relative to the top level, slashes, the bytes as git has them
	Change string `json:"change"` // added, modified, deleted, untracked, typeChanged, staged (index only), included (ignored, and asked for)
	Bytes  int64  `json:"bytes"`
}

// Left is something that does not come, by name.
type Left struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // ignored, nestedRepository, specialFile, submodule, submoduleElsewhere, submoduleConfig, intentToAddGone, worktree
}

// Numbers count what a plan brings, each path once.
type Numbers struct {
	Tracked   int   `json:"tracked"`   // tracked paths whose bytes, type or mode differ from the base
	Untracked int   `json:"untracked"` // files that git does not track
	Included  int   `json:"included"`  // ignored files that were asked for
	Deleted   int   `json:"deleted"`
	Staged    int   `json:"staged"` // index entries that differ from the base
	Bytes     int64 `json:"bytes"`
}
