//go:build unix

package ptydrive

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"
)

// process is one line of the system's table.
type process struct {
	pid, parent, session int
	started              string // tells it from an earlier process of the same number
	command              string
	ended                bool // and not yet waited for
}

func (p process) String() string { return fmt.Sprintf("%d %s", p.pid, p.command) }

// Below gives the running processes that pid has started, and theirs, each as "PID COMMAND".
func Below(pid int) ([]string, error) {
	table, err := processes()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range family(table, pid) {
		if p.pid != pid {
			names = append(names, p.String())
		}
	}
	return names, nil
}

// EndBelow kills what this process has started and what runs below that, and gives what there was, as Below does.
func EndBelow() ([]string, error) {
	table, err := processes()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range family(table, os.Getpid()) {
		if p.pid > 1 && p.pid != os.Getpid() {
			names = append(names, p.String())
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
	return names, nil
}

// family is root, everything below it, everything in its session, and everything below that.
func family(table []process, root int) []process {
	var found []process
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			known := func(pid int) bool {
				return slices.ContainsFunc(found, func(f process) bool { return f.pid == pid })
			}
			if !known(p.pid) && (p.pid == root || p.session == root || known(p.parent)) {
				found, grown = append(found, p), true
			}
		}
	}
	return found
}

// endSession asks the session that root leads to end, then makes it. A process that left the family before (a daemon
// whose parent has ended, in a session of its own) is not found here.
func endSession(root int, rootExited <-chan struct{}) error {
	signals := []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGKILL}
	var members []process // everyone ever seen in the family, so that orphans stay in it
	for _, signal := range signals {
		grace := time.Second
		if signal == syscall.SIGKILL {
			grace = 10 * time.Second
		}
		signalled := map[process]bool{}
		for deadline := time.Now().Add(grace); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			table, err := processes()
			if err != nil {
				return err
			}
			members = stillFamily(table, members, root, rootExited)
			if len(members) == 0 {
				return nil
			}
			for _, p := range members {
				if key := (process{pid: p.pid, started: p.started}); !signalled[key] {
					signalled[key] = true
					if p.pid <= 1 || p.pid == os.Getpid() { // 0 would mean our own group
						return fmt.Errorf("ptydrive: %v cannot be a process that was started here", p)
					}
					_ = syscall.Kill(p.pid, signal)
				}
			}
		}
	}
	return fmt.Errorf("ptydrive: a process outlived SIGKILL: %v", members)
}

// stillFamily gives those of the family that run: root's, and those of earlier members.
func stillFamily(table, earlier []process, root int, rootExited <-chan struct{}) []process {
	var now []process
	add := func(found []process) {
		for _, p := range found {
			if !slices.ContainsFunc(now, func(q process) bool { return q.pid == p.pid }) {
				now = append(now, p)
			}
		}
	}
	select {
	case <-rootExited: // its number may be another's by now, unless its session lives
		table = slices.DeleteFunc(table, func(p process) bool { return p.pid == root && p.session != root })
	default:
	}
	add(family(table, root))
	for _, old := range earlier {
		if slices.ContainsFunc(table, func(p process) bool { return p.pid == old.pid && p.started == old.started }) {
			add(family(table, old.pid))
		}
	}
	return now
}
