//go:build unix && !linux

package ptydrive

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// processes asks ps, which every unix has, without those that have ended and wait for their parent.
func processes() ([]process, error) {
	// The session is asked of the process group here: BSD's ps shows sessions as addresses, and a program on a terminal
	// of its own leads both.
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=,pgid=,stat=,lstart=,comm=").Output()
	if err != nil {
		return nil, fmt.Errorf("ptydrive: ps: %w", err)
	}
	var table []process
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 10 || strings.HasPrefix(fields[3], "Z") {
			continue
		}
		var numbers [3]int
		for i := range numbers {
			if numbers[i], err = strconv.Atoi(fields[i]); err != nil {
				return nil, fmt.Errorf("ptydrive: ps said %q: %w", line, err)
			}
		}
		table = append(table, process{
			pid: numbers[0], parent: numbers[1], session: numbers[2],
			started: strings.Join(fields[4:9], " "), command: strings.Join(fields[9:], " "), // "Mon Jan  2 15:04:05 2006"
		})
	}
	return table, nil
}
