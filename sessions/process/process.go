// Package process reads the system's table of processes: which run below one, as which program, since when. It looks and
// touches nothing. On Linux everything is read from /proc; on macOS and Windows only who started whom, and when (not tested
// there yet). A process may end at any moment, so that what was read of one may be gone when it is used.
package process

import (
	"slices"
	"time"
)

// Process is one process as it was when the table was read.
type Process struct {
	PID, Parent int
	Name        string    // the program's name as the system has it, perhaps cut
	Started     time.Time // to a second or so; zero where it cannot be told
	// Start is the start time as field 22 of /proc/PID/stat says it: a number is given out again, the pair is not. "" on
	// other systems.
	Start string
	// Foreground says that it belongs to what its terminal's keys go to. Never on systems that do not tell.
	Foreground bool
	// Depth is how many processes lie between it and the one that was asked about.
	Depth int

	folder string // /proc/PID
}

// below are the process pid of a table and all that it has started, nearest first, the newer first among equals.
func below(all []Process, pid int) []Process {
	children := map[int][]Process{}
	var found []Process
	for _, p := range all {
		if p.PID == pid {
			found = append(found, p)
		} else {
			children[p.Parent] = append(children[p.Parent], p)
		}
	}
	for i := 0; i < len(found); i++ {
		for _, child := range children[found[i].PID] {
			child.Depth = found[i].Depth + 1
			found = append(found, child)
		}
		delete(children, found[i].PID) // a table that changes while it is read may hold a circle
	}
	slices.SortStableFunc(found, func(a, b Process) int {
		if a.Depth != b.Depth {
			return a.Depth - b.Depth
		}
		return b.Started.Compare(a.Started)
	})
	return found
}
