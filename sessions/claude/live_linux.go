package claude

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// runs says whether the process of an entry is the one that wrote it: a number is given out again, the pair of number
// and start time is not. Of a process in another container nothing can be said.
func runs(p registered) agent.State {
	if _, space, ok := strings.Cut(p.PIDDomain, ":pid:"); ok {
		own, err := os.Readlink("/proc/self/ns/pid")
		if err != nil || own != "pid:"+space {
			return agent.Unknown
		}
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
	if err != nil {
		return agent.Ended
	}
	// The second field is the program's name in parentheses, which may hold anything, also blanks and parentheses.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, started = 0, 19 // fields 3 and 22 of the line
	switch {
	case len(fields) <= started || p.ProcStart == "":
		return agent.Unknown
	case string(fields[started]) != p.ProcStart, string(fields[state]) == "Z":
		return agent.Ended
	}
	return agent.Live
}

// exists says whether there is a process of that number.
func exists(pid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	return err == nil
}
