//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Run runs an agent on a pseudo-terminal inside the terminal that this process has, until it ends. Keys, and what the agent
// draws, go through as they are; so do the window's size, and signals that are sent to us. When the agent stops itself
// (Ctrl-Z), so do we, and go on with it.
//
// Between us and the agent there is one process more, the leader of the new terminal's session, which runs the agent as a
// job: without it the agent could not be stopped from its keyboard, since the kernel does not stop a group of processes that
// has nobody in its session to go on with it.
func Run(o Options) (Ended, error) {
	master, slave, err := open()
	if err != nil {
		return Ended{}, fmt.Errorf("terminal: %w", err)
	}
	defer master.Close()
	columns, rows, err := term.GetSize(int(o.In.Fd()))
	if err == nil {
		setSize(master, columns, rows)
	}
	if columns <= 0 || rows <= 0 { // a terminal may not know
		columns, rows = 80, 24
	}

	r, release, err := begin(o, columns, rows, master)
	if err != nil {
		_ = slave.Close()
		return Ended{}, err
	}
	defer release()

	cmd := exec.Command(o.Job[0], append(append([]string{}, o.Job[1:]...), o.Argv...)...)
	cmd.Dir, cmd.Env = o.Cwd, o.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	// Caught before there is anything to be told of them, and not ignored: an ignored signal would stay ignored in the agent.
	caught := make(chan os.Signal, 16)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGTSTP, syscall.SIGWINCH, syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(caught)
	modes, _ := term.MakeRaw(int(o.In.Fd()))
	restore := func() {
		if modes != nil {
			_ = term.Restore(int(o.In.Fd()), modes)
		}
	}
	defer restore()
	wake, wakes, err := os.Pipe()
	if err == nil {
		err = cmd.Start()
	}
	_ = slave.Close()
	if err != nil {
		r.close(127)
		return Ended{}, err
	}

	over := make(chan struct{})
	var passing, shown sync.WaitGroup
	passing.Go(func() { o.pass(caught, over, cmd.Process, master, r) })
	shown.Go(func() { show(o.Out, master, r) })
	passing.Go(func() { keysTo(r.keys, o.In, wake) })

	status := o.wait(cmd.Process.Pid, restore)
	close(over)
	_ = wakes.Close()
	_ = master.SetDeadline(time.Now().Add(lastWords)) // something that the agent has left may keep the terminal open
	passing.Wait()
	_ = wake.Close()
	shown.Wait()
	return Ended{Status: status, Record: r.close(status), Untyped: r.recorder != nil && r.untyped()}, nil
}

// open opens a pseudo-terminal. The master's reads end at a deadline; package pty leaves it blocking.
func open() (master, slave *os.File, err error) {
	blocking, slave, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		return nil, nil, errors.Join(err, slave.Close())
	}
	return os.NewFile(uintptr(fd), blocking.Name()), slave, nil
}

// setSize tells a terminal its size, by which the kernel tells the agent. (File.Fd would make the file blocking again.)
func setSize(master *os.File, columns, rows int) {
	raw, err := master.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(columns), Row: uint16(rows)})
	})
}

// keyByKey says whether what runs on a terminal takes its keys one by one. What is read in lines ends a line at each line
// break, of a paste too.
func keyByKey(master *os.File) bool {
	raw, err := master.SyscallConn()
	if err != nil {
		return false
	}
	is := false
	_ = raw.Control(func(fd uintptr) {
		modes, err := unix.IoctlGetTermios(int(fd), readTermios)
		is = err == nil && modes.Lflag&unix.ICANON == 0
	})
	return is
}

// lastWords is how long what was drawn before the end may take to come through.
const lastWords = 200 * time.Millisecond

// recording is a recorder, or none, and the keys that go to the agent.
type recording struct {
	*recorder
	keys *locked
}

func (r recording) close(status int) error {
	if r.recorder == nil {
		return nil
	}
	return r.Close(status)
}

// begin begins the record, where there is one.
func begin(o Options, columns, rows int, master *os.File) (recording, func(), error) {
	r := recording{keys: &locked{to: master}}
	if o.Folder == "" {
		return r, func() {}, nil
	}
	release, err := hold(filepath.Join(o.Folder, lockFile))
	if err != nil {
		return r, nil, err
	}
	r.recorder = newRecorder(o, columns, rows, func(keys []byte) { _, _ = r.keys.Write(keys) }, func() bool { return keyByKey(master) })
	return r, release, nil
}

// show brings what the agent draws to our terminal, then to the record.
func show(out io.Writer, master *os.File, r recording) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := master.Read(buffer)
		if n > 0 {
			_, _ = out.Write(buffer[:n]) // a terminal that is gone says so by SIGHUP
			if r.recorder != nil {
				_, _ = r.Write(buffer[:n])
			}
		}
		if err != nil { // EIO once nobody has the terminal any more
			return
		}
	}
}

// keysTo brings what is typed to the agent, until over can be read from: what is typed after the agent's end is for whoever
// has the terminal then.
func keysTo(agent io.Writer, in, over *os.File) {
	waits := []unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLIN}, {Fd: int32(over.Fd()), Events: unix.POLLIN}}
	buffer := make([]byte, 4<<10)
	for {
		if _, err := unix.Poll(waits, -1); err != nil {
			if errors.Is(err, unix.EINTR) {
				continue
			}
			return
		}
		if waits[1].Revents != 0 {
			return
		}
		n, err := in.Read(buffer)
		if n > 0 {
			_, _ = agent.Write(buffer[:n])
		}
		if err != nil {
			return
		}
	}
}

// pass brings the signals that we are sent to the agent, and the window's size to its terminal.
func (o Options) pass(caught <-chan os.Signal, over <-chan struct{}, job *os.Process, master *os.File, r recording) {
	for {
		select {
		case s := <-caught:
			if s != syscall.SIGWINCH {
				_ = job.Signal(s)
				continue
			}
			o.resize(master, r)
		case <-over:
			return
		}
	}
}

func (o Options) resize(master *os.File, r recording) {
	columns, rows, err := term.GetSize(int(o.In.Fd()))
	if err != nil {
		return
	}
	setSize(master, columns, rows)
	if r.recorder != nil && columns > 0 && rows > 0 {
		r.Resize(columns, rows)
	}
}

// wait waits for the job's end, stops with it and goes on with it.
func (o Options) wait(job int, restore func()) (status int) {
	for {
		var s unix.WaitStatus
		_, err := unix.Wait4(job, &s, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 1
		case s.Stopped():
			restore() // for the shell that sees us stopped
			stop()
			_, _ = term.MakeRaw(int(o.In.Fd()))
			_ = unix.Kill(os.Getpid(), unix.SIGWINCH) // the window may have changed meanwhile
			_ = unix.Kill(job, unix.SIGCONT)
		case s.Exited():
			return s.ExitStatus()
		case s.Signaled():
			return 128 + int(s.Signal())
		}
	}
}

// stop stops this process until it is made to go on. The kernel may let a thread go on for a moment after it has stopped
// the process, and what follows must not happen before.
func stop() {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
	<-goesOn
}

// Job runs an argv as the one job of the terminal that this process leads: in a group of its own, in the foreground. It
// stops when the job stops, goes on with it, passes on the signals that it is sent, and gives its exit status, or 128 plus
// the signal that ended it.
func Job(argv []string) (int, error) {
	if len(argv) == 0 {
		return 2, errors.New("terminal: there is no command")
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true}
	caught := make(chan os.Signal, 16)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGTSTP, syscall.SIGUSR1, syscall.SIGUSR2)
	if err := cmd.Start(); err != nil {
		return 127, err
	}
	pid := cmd.Process.Pid
	go func() {
		for s := range caught {
			_ = unix.Kill(-pid, s.(syscall.Signal)) // all of the job, as its terminal would
		}
	}()
	for {
		var s unix.WaitStatus
		_, err := unix.Wait4(pid, &s, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 1, err
		case s.Stopped():
			stop()
			_ = unix.Kill(-pid, unix.SIGCONT)
		case s.Exited():
			return s.ExitStatus(), nil
		case s.Signaled():
			return 128 + int(s.Signal()), nil
		}
	}
}
