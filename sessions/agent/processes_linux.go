package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Runs gives the processes that call themselves by one of names, as far as they may be looked at. known says whether this
// system tells at all.
func Runs(names ...string) (pids []int, known bool) {
	processes, err := os.ReadDir("/proc")
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil {
			continue
		}
		comm, _ := os.ReadFile(filepath.Join("/proc", p.Name(), "comm")) // it may just have ended
		if slices.Contains(names, strings.TrimSuffix(string(comm), "\n")) {
			pids = append(pids, pid)
		}
	}
	return pids, err == nil
}

// Writes says whether a process has one of its open files open to write. Whoever only reads one, as we do, is not at it.
func Writes(pid, file string) bool {
	info, err := os.ReadFile(filepath.Join("/proc", pid, "fdinfo", file))
	if err != nil {
		return false // it was closed meanwhile
	}
	_, rest, _ := strings.Cut(string(info), "flags:")
	digits, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	flags, err := strconv.ParseUint(digits, 8, 64)
	return err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY
}

// Holders gives the processes that have a file open to write, as far as they may be looked at. path is the physical one.
// known says whether this system tells at all.
func Holders(path string) (pids []int, known bool) {
	processes, err := os.ReadDir("/proc")
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil {
			continue
		}
		folder := filepath.Join("/proc", p.Name(), "fd")
		files, _ := os.ReadDir(folder) // somebody else's process, or one that has just ended
		if slices.ContainsFunc(files, func(f os.DirEntry) bool {
			target, err := os.Readlink(filepath.Join(folder, f.Name()))
			return err == nil && target == path && Writes(p.Name(), f.Name())
		}) {
			pids = append(pids, pid)
		}
	}
	return pids, err == nil
}

// InFolder is the one of pids that works in a folder; 0 where it is none, or several.
func InFolder(pids []int, folder string) (found int) {
	if physical, err := filepath.EvalSymlinks(folder); err == nil {
		folder = physical
	}
	for _, pid := range pids {
		if cwd, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "cwd")); err != nil || cwd != folder {
			continue
		}
		if found != 0 {
			return 0
		}
		found = pid
	}
	return found
}
