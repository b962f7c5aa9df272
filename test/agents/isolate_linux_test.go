//go:build agents

package agents_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// runIsolated runs the command in a network of its own and gives its exit status: as root just so, as an ordinary user in a
// user namespace too, in which it keeps its user but may switch loopback on. Where the system allows neither, the command
// runs as it is. Every process that loses its parent meanwhile falls to this one, which buries the dead and reports
// those that outlive the command.
func runIsolated(command func() *exec.Cmd) (status int, err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 1, fmt.Errorf("become the parent of orphans: %w", err)
	}
	// The child is to die with this thread, so the thread has to stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := command()
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		c.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		c.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN}
	}
	if err := c.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "no network namespace here:", err)
		c = command()
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := c.Start(); err != nil {
			return 1, err
		}
	}
	for {
		var ended unix.WaitStatus
		pid, err := unix.Wait4(-1, &ended, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 1, fmt.Errorf("wait for the tests: %w", err)
		case pid == c.Process.Pid && ended.Exited():
			return ended.ExitStatus(), nil
		case pid == c.Process.Pid:
			return 1, fmt.Errorf("the tests were ended by a signal: %v", ended.Signal())
		}
	}
}

// isolate switches loopback on. It says what network there is.
func isolate() (network string, err error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return "", err
	}
	network = "loopback only"
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback == 0 && i.Flags&net.FlagUp != 0 {
			return "the machine's own; the agents are told by their environment to use loopback", nil
		}
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unix.Close(socket)) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return "", err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, lo); err != nil {
		return "", fmt.Errorf("switch loopback on: %w", err)
	}
	// What is started from here on needs no rights over the network.
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return "", fmt.Errorf("drop the right to change the network: %w", err)
	}
	return network, nil
}
