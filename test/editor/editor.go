// Package editor is an editor without a window: it starts a sidecar, speaks LSP with it on pipes, and remembers all that
// comes back, so that a test (or `make demo`) can wait for a message instead of sleeping.
//
//	e, err := editor.Start(exec.Command("sidefork", "serve"))   // or editor.InProcess(serve)
//	defer e.Close()
//	_, err = e.Initialize(ctx, editor.Options{Folders: []string{repo}})
//	call := e.Execute("sidefork.fork", params, "token-1")
//	_, err = call.Stages.Await(ctx, editor.IsStage("copying"))
//	e.Cancel(call.ID)
//	result, err := call.Wait(ctx)
//
// It shares no code with the server: what it reads off the wire is its own judgement of the contract. Everything waits on
// a context, so a server that says nothing ends a test with what was seen until then.
package editor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Editor is the client's side of one connection. All its methods may be called from any goroutine.
type Editor struct {
	// Notifications are all that came, in order, $/progress and sidefork/stage included.
	Notifications *Feed[Notification]
	// Requests are the server's own (window/workDoneProgress/create).
	Requests *Feed[Request]
	// Refused are the answers with id null: to messages that the server could not read.
	Refused *Feed[*Error]

	server
	writing sync.Mutex
	in      io.WriteCloser // the server's stdin

	mu       sync.Mutex
	lastID   int
	calls    map[string]*Call           // by id, in JSON
	byOp     map[string]*Call           // by operationId
	progress map[string]*Feed[Progress] // by token, in JSON
	answer   Answer
	broken   error // what came on stdout that is no frame
	over     bool  // nothing more will come
}

// server is what runs behind the pipes.
type server struct {
	out    io.ReadCloser // its stdout
	ended  chan struct{}
	status int // once ended is closed
	kill   func() error
	stderr func() string
}

// Notification is one of the server's.
type Notification struct {
	Method string
	Params json.RawMessage
}

// Request is one of the server's.
type Request struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
}

// Answer says what a request of the server gets. With answered false it gets nothing, ever.
type Answer func(Request) (result any, failed *Error, answered bool)

// Error is a JSON-RPC error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s %s", e.Code, e.Message, e.Data) }

// Failure is an Error's data as the contract has it.
type Failure struct {
	Reason struct{ Code, Message, Remedy string }
	Effect string
	Detail string
}

// Failure reads the error's data; what is not there stays empty.
func (e *Error) Failure() (f Failure) {
	_ = json.Unmarshal(e.Data, &f)
	return f
}

// ErrGone means that the server has closed its stdout.
var ErrGone = errors.New("editor: the server is gone")

func newEditor(in io.WriteCloser, s server) *Editor {
	e := &Editor{
		Notifications: newFeed[Notification](), Requests: newFeed[Request](), Refused: newFeed[*Error](),
		server: s, in: in,
		calls: map[string]*Call{}, byOp: map[string]*Call{}, progress: map[string]*Feed[Progress]{},
		answer: func(Request) (any, *Error, bool) { return nil, nil, true },
	}
	go e.listen()
	return e
}

// Answering sets what the server's requests get from now on. At the start, each gets null.
func (e *Editor) Answering(a Answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = a
}

// Options are what an editor says of itself. The zero value is one without folders that shows progress.
type Options struct {
	Folders    []string
	Settings   any  // initializationOptions
	NoProgress bool // the server may not make tokens
	ProcessID  int
	Trace      string // off, messages, verbose
	Locale     string
}

func (o Options) params() map[string]any {
	folders := []map[string]string{}
	for _, f := range o.Folders {
		folders = append(folders, map[string]string{"uri": FileURI(f), "name": f})
	}
	p := map[string]any{
		"processId": nil, "rootUri": nil, "workspaceFolders": folders,
		"clientInfo":   map[string]string{"name": "editor", "version": "1"},
		"capabilities": map[string]any{"window": map[string]any{"workDoneProgress": !o.NoProgress}},
	}
	if o.ProcessID != 0 {
		p["processId"] = o.ProcessID
	}
	if o.Settings != nil {
		p["initializationOptions"] = o.Settings
	}
	if o.Locale != "" {
		p["locale"] = o.Locale
	}
	if o.Trace != "" {
		p["trace"] = o.Trace
	}
	return p
}

// Initialize begins the conversation and gives the server's answer.
func (e *Editor) Initialize(ctx context.Context, o Options) (json.RawMessage, error) {
	result, err := e.Call("initialize", o.params()).Wait(ctx)
	if err != nil {
		return nil, err
	}
	return result, e.Notify("initialized", struct{}{})
}

// Execute sends a command with its one argument. token is the workDoneToken; nil: none. Its stages are told apart by the
// argument's operationId.
func (e *Editor) Execute(command string, argument, token any) *Call {
	params := map[string]any{"command": command, "arguments": []any{argument}}
	if token != nil {
		params["workDoneToken"] = token
	}
	return e.Call("workspace/executeCommand", params)
}

// Cancel cancels a request by its id.
func (e *Editor) Cancel(id any) error { return e.Notify("$/cancelRequest", map[string]any{"id": id}) }

// CancelToken cancels work by its progress token.
func (e *Editor) CancelToken(token any) error {
	return e.Notify("window/workDoneProgress/cancel", map[string]any{"token": token})
}

// Progress is what comes on a token, also on one that the server made.
func (e *Editor) Progress(token any) *Feed[Progress] { return e.progressOf(marshal(token)) }

func (e *Editor) progressOf(token string) *Feed[Progress] {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.progress[token] == nil {
		e.progress[token] = newFeed[Progress]()
		if e.over {
			e.progress[token].close(ErrGone)
		}
	}
	return e.progress[token]
}

// Shutdown asks the server to get ready to end.
func (e *Editor) Shutdown(ctx context.Context) error {
	_, err := e.Call("shutdown", nil).Wait(ctx)
	return err
}

// Exit tells the server to end.
func (e *Editor) Exit() error { return e.Notify("exit", nil) }

// Quit ends the server as an editor does, shutdown and exit, and gives its exit status.
func (e *Editor) Quit(ctx context.Context) (status int, err error) {
	if err := e.Shutdown(ctx); err != nil {
		return 0, err
	}
	if err := e.Exit(); err != nil {
		return 0, err
	}
	return e.Wait(ctx)
}

// Notify sends a notification. nil params are left out.
func (e *Editor) Notify(method string, params any) error { return e.send(nil, method, params) }

func (e *Editor) send(id any, method string, params any) error {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if id != nil {
		m["id"] = id
	}
	if params != nil {
		m["params"] = params
	}
	return e.Frame([]byte(marshal(m)))
}

// Frame sends bytes as the body of one frame, whatever they are.
func (e *Editor) Frame(body []byte) error {
	return e.Raw(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
}

// Raw sends bytes as they are, in one write.
func (e *Editor) Raw(b []byte) error {
	e.writing.Lock()
	defer e.writing.Unlock()
	_, err := e.in.Write(b)
	return err
}

// listen reads what the server says until it stops. stdout may carry nothing but frames with the one header; anything
// else is an error that every waiting call gets.
func (e *Editor) listen() {
	in := bufio.NewReader(e.out)
	for {
		body, err := readFrame(in)
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
				err = ErrGone
			}
			e.finish(err)
			return
		}
		if err := e.received(body); err != nil {
			e.finish(err)
			return
		}
	}
}

func readFrame(in *bufio.Reader) ([]byte, error) {
	var length int
	header, err := in.ReadString('\n')
	if err != nil {
		return nil, io.EOF
	}
	blank, err := in.ReadString('\n')
	if err != nil {
		return nil, io.EOF
	}
	if n, err := fmt.Sscanf(header, "Content-Length: %d\r\n", &length); n != 1 || err != nil || blank != "\r\n" {
		return nil, fmt.Errorf("editor: stdout carried no frame: %q", header+blank)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return nil, io.EOF
	}
	return body, nil
}

func (e *Editor) received(body []byte) error {
	var m struct {
		Jsonrpc string
		ID      json.RawMessage
		Method  string
		Params  json.RawMessage
		Result  json.RawMessage
		Error   *Error
	}
	if err := json.Unmarshal(body, &m); err != nil || m.Jsonrpc != "2.0" {
		return fmt.Errorf("editor: no JSON-RPC message: %.200q: %w", body, err)
	}
	switch {
	case m.Method != "" && m.ID != nil:
		r := Request{m.ID, m.Method, m.Params}
		e.mu.Lock()
		answer := e.answer
		e.mu.Unlock()
		e.Requests.add(r)
		result, failed, answered := answer(r)
		if answered {
			go e.reply(r.ID, result, failed) // not here: the server may be writing while it does not read
		}
	case m.Method != "":
		e.notified(Notification{m.Method, m.Params})
	case m.ID == nil || string(m.ID) == "null":
		e.Refused.add(m.Error)
	case m.Error == nil && m.Result == nil:
		return fmt.Errorf("editor: an answer with neither result nor error: %.200q", body)
	default:
		e.mu.Lock()
		c := e.calls[string(m.ID)]
		delete(e.calls, string(m.ID))
		e.mu.Unlock()
		if c == nil {
			return fmt.Errorf("editor: an answer to no request, or a second one: %.200q", body)
		}
		if m.Error != nil {
			c.finish(nil, m.Error)
		} else {
			c.finish(m.Result, nil)
		}
	}
	return nil
}

func (e *Editor) reply(id json.RawMessage, result any, failed *Error) {
	m := map[string]any{"jsonrpc": "2.0", "id": id, "result": result}
	if failed != nil {
		delete(m, "result")
		m["error"] = failed
	}
	_ = e.Frame([]byte(marshal(m))) // a server that is gone needs no answer
}

func (e *Editor) notified(n Notification) {
	switch n.Method {
	case "$/progress":
		var p struct {
			Token json.RawMessage
			Value Progress
		}
		if json.Unmarshal(n.Params, &p) == nil {
			e.progressOf(string(p.Token)).add(p.Value)
		}
	case "sidefork/stage":
		var s struct{ OperationID, Stage string }
		if json.Unmarshal(n.Params, &s) == nil {
			e.mu.Lock()
			c := e.byOp[s.OperationID]
			e.mu.Unlock()
			if c != nil {
				c.Stages.add(s.Stage)
			}
		}
	}
	e.Notifications.add(n)
}

// finish ends all that waits.
func (e *Editor) finish(err error) {
	_, _ = io.Copy(io.Discard, e.out) // a server that writes must not block on us
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over, e.broken = true, err
	for _, c := range e.calls {
		c.finish(nil, err)
	}
	clear(e.calls)
	for _, f := range e.progress {
		f.close(err)
	}
	e.Notifications.close(err)
	e.Requests.close(err)
	e.Refused.close(err)
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test's own mistake
	}
	return string(b)
}
