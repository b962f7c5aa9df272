//go:build unix

package ptydrive

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// EndTmux ends the tmux server of that name which env leads to, if it runs, and waits until all that ran in it has ended.
func EndTmux(server string, env []string, within time.Duration) error {
	tmux := func(args ...string) string {
		c := exec.Command("tmux", append([]string{"-L", server}, args...)...)
		c.Env = env
		said, _ := c.Output() // there may be none
		return string(said)
	}
	table, err := processes()
	if err != nil {
		return err
	}
	var running []process
	for _, pane := range strings.Fields(tmux("list-panes", "-a", "-F", "#{pane_pid}")) {
		if pid, err := strconv.Atoi(pane); err == nil {
			running = append(running, family(table, pid)...)
		}
	}
	tmux("kill-server")
	for deadline := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		running = slices.DeleteFunc(running, func(p process) bool { return syscall.Kill(p.pid, 0) != nil })
		if len(running) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("ptydrive: what ran in tmux still runs: %v", running)
		}
	}
}
