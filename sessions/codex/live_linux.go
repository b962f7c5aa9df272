package codex

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/process"
)

// holders finds, in the open files of all processes that may be looked at, who has which session of home open.
func holders(home string) map[string]holder {
	found := map[string]holder{}
	processes, _ := os.ReadDir("/proc")
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil {
			continue
		}
		folder := filepath.Join("/proc", p.Name(), "fd")
		files, _ := os.ReadDir(folder) // somebody else's process, or one that has just ended
		for _, f := range files {
			target, err := os.Readlink(filepath.Join(folder, f.Name()))
			if err != nil || !agent.Within(home, target) {
				continue
			}
			id := openSession(target)
			if id != "" && (idOf(target) == "" || agent.Writes(p.Name(), f.Name())) { // a lock, or a rollout that is written
				found[id] = holder{pid: pid, daemon: isDaemon(p.Name()), started: process.Started(pid)}
			}
		}
	}
	return found
}

// isDaemon says whether a process is Codex's shared server rather than a terminal's own.
func isDaemon(pid string) bool {
	program, _ := os.Readlink(filepath.Join("/proc", pid, "exe"))
	line, _ := os.ReadFile(filepath.Join("/proc", pid, "cmdline"))
	return strings.Contains(program, "app-server") || bytes.Contains(line, []byte("app-server"))
}
