package process

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Below gives the process pid and all below it, nearest first; none where there is no such process.
func Below(pid int) ([]Process, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("process: kern.proc.all: %w", err)
	}
	all := make([]Process, 0, len(table))
	for _, k := range table {
		all = append(all, Process{
			PID: int(k.Proc.P_pid), Parent: int(k.Eproc.Ppid), Name: unix.ByteSliceToString(k.Proc.P_comm[:]),
			Started:    time.Unix(k.Proc.P_starttime.Unix()),
			Foreground: k.Eproc.Pgid != 0 && k.Eproc.Pgid == k.Eproc.Tpgid,
		})
	}
	return below(all, pid), nil
}
