// Package carry brings the uncommitted work of one worktree to another of the same repository, proved, or not at all.
//
// Look reads the source and gives a Plan: every file that would come, every one that stays and why, and every refusal,
// with nothing written. Plan.Into writes and proves it; it says "carried" only after both sides were found equal, entry
// for index entry and byte for byte, and the source was found to have stood still. What it writes is recorded beforehand
// in an Operation, whose undo takes it back, in this process or, after a crash, in the next one.
// It never writes to the source: not its index, not its time stamps, no lock. It never follows a link, never removes a
// tree recursively and never passes content through git's filters.
package carry

import (
	"strconv"

	"github.com/sidefork/sidefork/carry/worktree"
)

// Refusal is something that cannot be carried (worktree.Refusal).
type Refusal = worktree.Refusal

// Options say what is to be carried.
type Options struct {
	Unstage bool   // everything arrives unstaged (the index of the target stays that of its base)
	Limits  Limits // counted before anything is written
}

// Limits bound a carry. The zero value of either means its default.
type Limits struct {
	Files int   // untracked files
	Bytes int64 // tracked and untracked content together
}

// The default limits (contract.md, "Decided").
const (
	DefaultMaxFiles = 20_000
	DefaultMaxBytes = 1 << 30
)

// Exceeded refuses so many untracked files and so many bytes of content; empty where they are within the limits.
func (l Limits) Exceeded(files int, size int64) []*Refusal {
	if l.Files == 0 {
		l.Files = DefaultMaxFiles
	}
	if l.Bytes == 0 {
		l.Bytes = DefaultMaxBytes
	}
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
	Change string `json:"change"` // added, modified, deleted, untracked, typeChanged, staged (index only)
	Bytes  int64  `json:"bytes"`
}

// Left is something that does not come, by name.
type Left struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // ignored, nestedRepository, specialFile, submodule, intentToAddGone, worktree
}

// Numbers count what a plan brings, each path once.
type Numbers struct {
	Tracked   int   `json:"tracked"`   // tracked paths whose bytes, type or mode differ from the base
	Untracked int   `json:"untracked"` // files that git does not track
	Deleted   int   `json:"deleted"`
	Staged    int   `json:"staged"` // index entries that differ from the base
	Bytes     int64 `json:"bytes"`
}
