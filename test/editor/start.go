package editor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Start starts a sidecar as a process of its own. The command's Stdin, Stdout and Stderr are taken.
func Start(cmd *exec.Cmd) (*Editor, error) {
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		_, _ = inR.Close(), inW.Close()
		return nil, err
	}
	said := new(buffer)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, said
	cmd.WaitDelay = 5 * time.Second // what it has started may hold stderr open
	err = cmd.Start()
	_, _ = inR.Close(), outW.Close()
	if err != nil {
		_, _ = inW.Close(), outR.Close()
		return nil, err
	}
	s := server{out: outR, ended: make(chan struct{}), kill: cmd.Process.Kill, stderr: said.String}
	e := newEditor(inW, s)
	go func() {
		_ = cmd.Wait()
		e.status = cmd.ProcessState.ExitCode()
		close(e.ended)
	}()
	return e, nil
}

// InProcess runs a sidecar in this process; serve gets its stdin and stdout and returns its exit status.
func InProcess(serve func(in io.Reader, out io.Writer) int) *Editor {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := server{out: outR, ended: make(chan struct{}), stderr: func() string { return "" }}
	s.kill = func() error { return errors.New("editor: a sidecar in this process cannot be killed") }
	e := newEditor(inW, s)
	go func() {
		e.status = serve(inR, outW)
		_, _ = inR.Close(), outW.Close()
		close(e.ended)
	}()
	return e
}

// Kill ends the process at once, by SIGKILL, and nothing that it has started.
func (e *Editor) Kill() error { return e.kill() }

// CloseInput ends the server's stdin, as an editor does that has crashed.
func (e *Editor) CloseInput() error { return e.in.Close() }

// CloseOutput takes the reader of the server's stdout away: its next write fails.
func (e *Editor) CloseOutput() error { return e.out.Close() }

// Wait waits for the server to end and gives its exit status; -1: by a signal.
func (e *Editor) Wait(ctx context.Context) (status int, err error) {
	select {
	case <-e.ended:
		return e.status, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// Stderr is what a process has written there so far.
func (e *Editor) Stderr() string { return e.stderr() }

// Close ends the server however it is, and waits for it: by the end of its input, after ten seconds by SIGKILL.
func (e *Editor) Close() {
	_ = e.CloseInput()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := e.Wait(ctx); err != nil && e.Kill() == nil {
		<-e.ended
	}
	_ = e.CloseOutput()
}

// FileURI writes an absolute path as a file URI.
func FileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
