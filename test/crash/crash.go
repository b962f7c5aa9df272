// Package crash starts `sidefork serve`, asks it for a fork and ends it (or the fork) at a stage that it has announced.
// It speaks frames of its own and imports nothing of the product, like the judges it is used with: test/snapshot for the
// parent, test/compare for the child.
package crash

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// Stages are the stages of a fork in their order (contract, "Progress and cancelling").
var Stages = []string{"preparing", "creating", "copying", "setup", "starting"}

// Message is one JSON-RPC message of the sidecar's.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// Sidecar is a running `sidefork serve`.
type Sidecar struct {
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	messages chan Message // closed at the end of its stdout
	stderr   bytes.Buffer
	write    sync.Mutex
	next     int
	waited   chan struct{}
}

// Start starts the program and shakes hands on behalf of an editor that has these folders open.
func Start(program string, env []string, folders ...string) (*Sidecar, error) {
	s := &Sidecar{cmd: exec.Command(program, "serve"), messages: make(chan Message, 1024), waited: make(chan struct{})}
	s.cmd.Env, s.cmd.Stderr = env, &s.stderr
	s.cmd.WaitDelay = 10 * time.Second // a git that it has started may hold its stderr open
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(s.waited)
		readFrames(stdout, s.messages)
		_ = s.cmd.Wait()
	}()
	type folder struct {
		URI  string `json:"uri"`
		Name string `json:"name"`
	}
	open := []folder{}
	for _, path := range folders {
		open = append(open, folder{(&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String(), filepath.Base(path)})
	}
	answer, err := s.Call("initialize", map[string]any{"processId": nil, "rootUri": nil, "capabilities": map[string]any{}, "workspaceFolders": open})
	if err == nil && answer.Error != nil {
		err = fmt.Errorf("initialize: %s", answer.Error.Message)
	}
	if err == nil {
		err = s.send(map[string]any{"method": "initialized", "params": map[string]any{}})
	}
	if err != nil {
		_ = s.Kill()
		return nil, err
	}
	return s, nil
}

// Ask sends a request and gives its id; the answer comes with Await.
func (s *Sidecar) Ask(method string, params any) (id int, err error) {
	s.next++
	return s.next, s.send(map[string]any{"id": s.next, "method": method, "params": params})
}

// Call sends a request and waits for its answer.
func (s *Sidecar) Call(method string, params any) (Message, error) {
	id, err := s.Ask(method, params)
	if err != nil {
		return Message{}, err
	}
	return s.Await(func(m Message) bool { return m.Answers(id) })
}

// Answers tells whether a message is the answer to a request.
func (m Message) Answers(id int) bool { return m.Method == "" && string(m.ID) == strconv.Itoa(id) }

// Stage gives the stage that a message announces, if it does.
func (m Message) Stage() string {
	if m.Method != "sidefork/stage" {
		return ""
	}
	var params struct{ Stage string }
	_ = json.Unmarshal(m.Params, &params)
	return params.Stage
}

// Await reads until a message is the one. Requests of the sidecar's are answered with null.
func (s *Sidecar) Await(is func(Message) bool) (Message, error) {
	limit := time.NewTimer(2 * time.Minute)
	defer limit.Stop()
	for {
		select {
		case m, open := <-s.messages:
			if !open {
				<-s.waited
				return Message{}, fmt.Errorf("crash: the sidecar has ended: %s", s.stderr.String())
			}
			if m.Method != "" && len(m.ID) > 0 {
				if err := s.send(map[string]any{"id": m.ID, "result": nil}); err != nil {
					return m, err
				}
			}
			if is(m) {
				return m, nil
			}
		case <-limit.C:
			return Message{}, errors.New("crash: nothing came for two minutes")
		}
	}
}

// Cancel asks for the end of a request.
func (s *Sidecar) Cancel(id int) error {
	return s.send(map[string]any{"method": "$/cancelRequest", "params": map[string]any{"id": id}})
}

// Fork asks for a fork of a workspace without a session and gives the request's id.
func (s *Sidecar) Fork(operation, workspace, name, dir string) (int, error) {
	return s.Ask("workspace/executeCommand", map[string]any{"command": "sidefork.fork", "arguments": []any{map[string]any{
		"operationId": operation, "workspace": workspace, "name": name, "dir": dir,
		"session": nil, "setup": map[string]any{"decision": "skip"}, "launch": "none",
	}}})
}

// Kill ends the process with SIGKILL and waits until it is gone.
func (s *Sidecar) Kill() error {
	err := s.cmd.Process.Kill()
	s.drain()
	return err
}

// Close ends it as an editor does: shutdown, exit.
func (s *Sidecar) Close() error {
	if _, err := s.Call("shutdown", nil); err != nil {
		_ = s.Kill()
		return err
	}
	err := s.send(map[string]any{"method": "exit"})
	s.drain()
	return err
}

func (s *Sidecar) drain() {
	for range s.messages { // until its stdout is closed
	}
	<-s.waited
	_ = s.stdin.Close()
}

func (s *Sidecar) send(message map[string]any) error {
	message["jsonrpc"] = "2.0"
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	_, err = fmt.Fprintf(s.stdin, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// readFrames reads messages until there are no more, and closes the channel.
func readFrames(from io.Reader, to chan<- Message) {
	defer close(to)
	reader := bufio.NewReader(from)
	for {
		header, err := textproto.NewReader(reader).ReadMIMEHeader()
		if err != nil {
			return
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(reader, body); err != nil {
			return
		}
		var m Message
		if json.Unmarshal(body, &m) == nil {
			to <- m
		}
	}
}
