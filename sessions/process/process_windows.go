package process

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Below gives the process pid and all below it, nearest first; none where there is no such process. A parent that is
// younger than its child is another process with a number that was given out again.
func Below(pid int) ([]Process, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, fmt.Errorf("process: snapshot: %w", err)
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	var all []Process
	started := map[int]time.Time{}
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		p := Process{
			PID: int(entry.ProcessID), Parent: int(entry.ParentProcessID),
			Name: windows.UTF16ToString(entry.ExeFile[:]), Started: startOf(entry.ProcessID),
		}
		started[p.PID] = p.Started
		all = append(all, p)
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, fmt.Errorf("process: snapshot: %w", err)
	}
	for i, p := range all {
		if parent := started[p.Parent]; !p.Started.IsZero() && parent.After(p.Started) {
			all[i].Parent = 0
		}
	}
	return below(all, pid), nil
}

func startOf(pid uint32) time.Time {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return time.Time{}
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(handle, &created, &exited, &kernel, &user) != nil {
		return time.Time{}
	}
	return time.Unix(0, created.Nanoseconds())
}
