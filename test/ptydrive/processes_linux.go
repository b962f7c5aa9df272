package ptydrive

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// processes reads the running processes from /proc, without those that have ended and wait for their parent.
func processes() ([]process, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, fmt.Errorf("ptydrive: %w", err)
	}
	var table []process
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // ended meanwhile
		}
		p, ok := parseStat(string(data))
		if !ok {
			return nil, fmt.Errorf("ptydrive: %s: not understood: %q", file, data)
		}
		if p.ended {
			continue
		}
		table = append(table, p)
	}
	return table, nil
}

// parseStat reads "PID (COMMAND) STATE PARENT GROUP SESSION …"; the command may hold blanks and parentheses.
func parseStat(line string) (p process, ok bool) {
	head, rest, _ := strings.Cut(line, " (")
	end := strings.LastIndexByte(rest, ')')
	if end < 0 {
		return p, false
	}
	fields := strings.Fields(rest[end+1:]) // fields[0] is the third of proc_pid_stat(5)
	if len(fields) < 20 {
		return p, false
	}
	var noPID, noParent, noSession error
	p.pid, noPID = strconv.Atoi(head)
	p.parent, noParent = strconv.Atoi(fields[1])
	p.session, noSession = strconv.Atoi(fields[3])
	p.command, p.started = rest[:end], fields[19]
	p.ended = fields[0] == "Z" || fields[0] == "X"
	return p, noPID == nil && noParent == nil && noSession == nil
}
