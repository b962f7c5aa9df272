//go:build unix

package cli

import (
	"golang.org/x/sys/unix"

	processes "github.com/sidefork/sidefork/sessions/process"
)

// beside is the process that this terminal belongs to: what has started the leader of its session, such as an editor, a
// terminal emulator or tmux. Their other terminals are below it, too. 0 where there is none to be found.
func beside() int {
	leader, err := unix.Getsid(0)
	if err != nil {
		return 0
	}
	found, err := processes.Below(leader)
	if err != nil || len(found) == 0 || found[0].PID != leader || found[0].Parent <= 1 {
		return 0
	}
	return found[0].Parent
}
