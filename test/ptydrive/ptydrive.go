//go:build unix

// Package ptydrive plays a person at a terminal: it starts a program on a pseudo-terminal, answers the questions that
// programs ask of terminals, reads what is shown, types, and in the end leaves no process behind.
//
//	t, err := ptydrive.Start(ptydrive.Program{Argv: argv, Dir: dir, Env: env})
//	defer t.Close()
//	err = t.Await(ctx, "ready")
//	err = t.Type(ctx, "hello"); err = t.Press(ptydrive.Enter)
//
// What is shown is compared without blanks and without the terminal's control sequences: it is the text in the order in
// which it was written, not a picture of the screen.
package ptydrive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"unicode"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Keys to Press.
const (
	Enter = "\r"
	CtrlC = "\x03"
	CtrlD = "\x04"
)

// Program is what to start. Env is its whole environment. Columns and Rows are those of the terminal; 130 by 45 where
// they are 0.
type Program struct {
	Argv          []string
	Dir           string
	Env           []string
	Columns, Rows uint16
}

// Terminal is a program that runs on a pseudo-terminal.
type Terminal struct {
	name    string
	command *exec.Cmd
	master  *os.File
	read    chan struct{} // closed when everything that the program wrote was read
	exited  chan struct{} // closed when the program has ended

	mu    sync.Mutex
	shown screen
	mark  int           // where in the text the part begins that Await looks at
	news  chan struct{} // closed and replaced whenever something is shown
}

// Start starts a program as the leader of a session of its own.
func Start(p Program) (*Terminal, error) {
	if p.Columns == 0 {
		p.Columns, p.Rows = 130, 45
	}
	c := exec.Command(p.Argv[0], p.Argv[1:]...)
	c.Dir, c.Env = p.Dir, p.Env
	master, err := pty.StartWithSize(c, &pty.Winsize{Cols: p.Columns, Rows: p.Rows})
	if err != nil {
		return nil, fmt.Errorf("ptydrive: %w", err)
	}
	if master, err = interruptible(master); err != nil {
		_ = c.Process.Kill()
		_ = c.Wait()
		return nil, err
	}
	t := &Terminal{
		name: p.Argv[0], command: c, master: master,
		read: make(chan struct{}), exited: make(chan struct{}), news: make(chan struct{}),
	}
	go t.watch()
	go func() {
		defer close(t.exited)
		_ = c.Wait() // its state is kept in c
	}()
	return t, nil
}

// interruptible gives the same terminal as a file whose Read ends when it is closed; package pty leaves it blocking.
func interruptible(master *os.File) (*os.File, error) {
	defer func() { _ = master.Close() }()
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("ptydrive: %w", err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("ptydrive: %w", err)
	}
	return os.NewFile(uintptr(fd), master.Name()), nil
}

// watch reads until no process has the terminal open any more, or it is closed here.
func (t *Terminal) watch() {
	defer close(t.read)
	buffer := make([]byte, 64<<10)
	for {
		n, err := t.master.Read(buffer)
		t.mu.Lock()
		answers := t.shown.write(buffer[:n])
		close(t.news)
		t.news = make(chan struct{})
		t.mu.Unlock()
		for _, a := range answers {
			_, _ = t.master.WriteString(a) // a program that has gone needs no answer
		}
		if err != nil {
			return
		}
	}
}

// PID is the program's process.
func (t *Terminal) PID() int { return t.command.Process.Pid }

// Shown is everything that was shown, without blanks.
func (t *Terminal) Shown() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.shown.text)
}

// Await waits until one of the texts is shown, and gives that one. It looks only at what came after the last Type or
// Press, and after what an earlier Await has found. It fails when ctx ends or the program does.
func (t *Terminal) Await(ctx context.Context, texts ...string) (string, error) {
	for {
		found, fresh, news := t.look(texts)
		if found != "" {
			return found, nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return "", fmt.Errorf("ptydrive: %s never showed %q: %w\n%s", t.name, texts, context.Cause(ctx), tail(fresh))
		case <-t.read:
			select {
			case <-news: // the last words
			default:
				return "", fmt.Errorf("ptydrive: %s ended without showing %q\n%s", t.name, texts, tail(fresh))
			}
		}
	}
}

// look gives the text that is shown first and moves the mark behind it, else what there is to be seen and what is closed
// when there is more.
func (t *Terminal) look(texts []string) (found, fresh string, news chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh = string(t.shown.text[t.mark:])
	first, end := len(fresh), 0
	for _, text := range texts {
		if at := strings.Index(fresh, withoutBlanks(text)); at >= 0 && at < first {
			found, first, end = text, at, at+len(withoutBlanks(text))
		}
	}
	t.mark += end
	return found, fresh, t.news
}

// Type types a text and waits until it is shown.
func (t *Terminal) Type(ctx context.Context, text string) error {
	if err := t.Press(text); err != nil {
		return err
	}
	_, err := t.Await(ctx, text)
	return err
}

// Press sends keys without waiting for anything.
func (t *Terminal) Press(keys string) error {
	t.mu.Lock()
	t.mark = len(t.shown.text)
	t.mu.Unlock()
	if _, err := t.master.WriteString(keys); err != nil {
		return fmt.Errorf("ptydrive: type into %s: %w", t.name, err)
	}
	return nil
}

// Wait waits for the program to end and gives its exit status, -1 where a signal ended it.
func (t *Terminal) Wait(ctx context.Context) (int, error) {
	select {
	case <-t.exited:
		return t.command.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("ptydrive: %s does not end: %w\n%s", t.name, context.Cause(ctx), tail(t.Shown()))
	}
}

// Resize gives the terminal another size.
func (t *Terminal) Resize(columns, rows uint16) error {
	raw, err := t.master.SyscallConn()
	if err != nil {
		return fmt.Errorf("ptydrive: %w", err)
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows})
	})
	return errors.Join(err, failed)
}

// Exited is closed when the program has ended.
func (t *Terminal) Exited() <-chan struct{} { return t.exited }

// Close ends the program, everything in its session and everything below it, and closes the terminal. It may be called
// more than once.
func (t *Terminal) Close() error {
	err := endSession(t.PID(), t.exited)
	<-t.exited
	if closing := t.master.Close(); !errors.Is(closing, os.ErrClosed) {
		err = errors.Join(err, closing)
	}
	<-t.read
	return err
}

func withoutBlanks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

func tail(text string) string {
	runes := []rune(text)
	return string(runes[max(0, len(runes)-800):])
}
