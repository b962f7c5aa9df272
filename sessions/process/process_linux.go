package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ticks is how many of the kernel's units of time are in a second: 100 on every system that Go runs on.
const ticks = 100

// Below gives the process pid and all below it, nearest first; none where there is no such process.
func Below(pid int) ([]Process, error) { return BelowIn("/proc", pid) }

// BelowIn is Below for a /proc that is elsewhere.
func BelowIn(proc string, pid int) ([]Process, error) {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return nil, fmt.Errorf("process: read %s: %w", proc, err)
	}
	booted := bootTime(proc)
	var all []Process
	for _, entry := range entries {
		if number, err := strconv.Atoi(entry.Name()); err == nil {
			if p, ok := read(filepath.Join(proc, entry.Name()), number, booted); ok {
				all = append(all, p)
			}
		}
	}
	return below(all, pid), nil
}

// read reads /proc/PID/stat (man 5 proc). A process that has ended and was not waited for is none.
func read(folder string, pid int, booted time.Time) (Process, bool) {
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return Process{}, false
	}
	// The second field is the name in parentheses, which may hold anything, also blanks and parentheses.
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return Process{}, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	const state, parent, group, foreground, start = 0, 1, 2, 5, 19 // fields 3, 4, 5, 8 and 22
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return Process{}, false
	}
	p := Process{PID: pid, Name: string(stat[open+1 : end]), Start: fields[start], Foreground: fields[group] == fields[foreground], folder: folder}
	if p.Parent, err = strconv.Atoi(fields[parent]); err != nil {
		return Process{}, false
	}
	if since, err := strconv.ParseInt(fields[start], 10, 64); err == nil && !booted.IsZero() {
		p.Started = booted.Add(time.Duration(since) * (time.Second / ticks))
	}
	return p, true
}

// Started is when a process was started, to some hundredths of a second by the clock as it goes now. Zero where there is no
// such process.
func Started(pid int) time.Time {
	var since unix.Timespec // the kernel's own start; btime in /proc/stat is cut to a second
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &since) != nil {
		return time.Time{}
	}
	p, _ := read(filepath.Join("/proc", strconv.Itoa(pid)), pid, time.Now().Add(-time.Duration(since.Nano())))
	return p.Started
}

func bootTime(proc string) time.Time {
	stat, err := os.ReadFile(filepath.Join(proc, "stat"))
	if err != nil {
		return time.Time{}
	}
	for line := range strings.SplitSeq(string(stat), "\n") {
		if text, ok := strings.CutPrefix(line, "btime "); ok {
			if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
				return time.Unix(seconds, 0)
			}
		}
	}
	return time.Time{}
}

// Folder is the process's working folder; "" where it cannot be told.
func (p Process) Folder() string {
	folder, _ := os.Readlink(filepath.Join(p.folder, "cwd"))
	return folder
}

// Arguments are the process's program and arguments, as it has them now.
func (p Process) Arguments() []string {
	line, _ := os.ReadFile(filepath.Join(p.folder, "cmdline"))
	if len(line) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
}

// Open are the files that the process has open, by their paths; none of a process that is somebody else's.
func (p Process) Open() []string {
	var paths []string
	files, _ := os.ReadDir(filepath.Join(p.folder, "fd"))
	for _, f := range files {
		if path, err := os.Readlink(filepath.Join(p.folder, "fd", f.Name())); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// Space is the name space that the numbers of processes hold in, as "pid:[4026531836]".
func Space() string {
	space, _ := os.Readlink("/proc/self/ns/pid")
	return space
}
