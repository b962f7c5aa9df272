package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/sidefork/sidefork/commands"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.uber.org/zap"
)

// server is one connection's state. What handle reads is written on the read loop, under mu where others read it too.
type server struct {
	opt          Options
	served, base context.Context // done when Serve returns; when the end begins
	stop         context.CancelCauseFunc
	// wanted is done when somebody has asked the process to end: what goes on without its client goes on until then.
	wanted context.Context
	kill   context.CancelCauseFunc
	conn   jsonrpc2.Conn
	*logs
	// inFlight counts calls and whatever else must not be cut off by the end.
	inFlight sync.WaitGroup
	stayers  sync.WaitGroup // of these, calls that go on without a client
	memory   commands.Memory

	mu        sync.Mutex
	state     state
	ending    bool
	calls     map[jsonrpc2.ID]*call
	tasks     map[*call]bool // what outlives its call: it has a token and no id
	created   int            // progress tokens made by us
	client    client         // what the client told of itself
	recovered chan struct{}  // closed when no recovery is pending
}

type state int

const (
	fresh state = iota
	running
	shutDown
)

// call is a command in flight. It can be cancelled by its id and by its tokens.
type call struct {
	id     jsonrpc2.ID
	params executeParams
	bad    error // params could not be read
	cancel context.CancelFunc
	token  *protocol.ProgressToken // the request's, or ours once it is made
	// What held when the request was read.
	client    client
	recovered <-chan struct{}
}

func newServer(base context.Context, stop context.CancelCauseFunc, opt Options) *server {
	s := &server{opt: opt, base: base, stop: stop, calls: map[jsonrpc2.ID]*call{}, tasks: map[*call]bool{}, recovered: make(chan struct{})}
	close(s.recovered)
	s.client.settings = opt.Over(opt.Settings)
	s.logs = openLogs(opt, func(kind protocol.MessageType, text string) {
		s.notify(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{Type: kind, Message: text})
	})
	return s
}

// handle takes each message on the read loop, in order. Commands go on from there on goroutines of their own, after both
// names of the work are known: a cancel may be the next message. It never fails: the library would close the connection.
func (s *server) handle(ctx context.Context, reply jsonrpc2.Replier, request jsonrpc2.Request) error {
	c, isCall := request.(*jsonrpc2.Call)
	answer := func(result any, err error) {
		result, err = s.inLanguage(result, err)
		_ = reply(context.WithoutCancel(ctx), result, err) // a write error has ended the server
	}
	defer func() {
		if r := recover(); r != nil {
			s.panicked(request.Method(), r)
			answer(nil, jsonrpc2.NewError(jsonrpc2.InternalError, request.Method()+": internal error"))
		}
	}()
	if !isCall {
		s.notified(request.Method(), request.Params())
		return nil
	}
	s.mu.Lock()
	now := s.state
	s.mu.Unlock()
	switch {
	case now == shutDown:
		answer(nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server was shut down"))
	case now == running && c.Method() == protocol.MethodInitialize:
		answer(nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server was initialized before"))
	case c.Method() == protocol.MethodInitialize:
		answer(s.initialize(c.Params()), nil)
		s.initialized()
	case now == fresh:
		answer(nil, jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the server is not initialized"))
	case c.Method() == protocol.MethodShutdown:
		s.mu.Lock()
		s.state = shutDown
		s.mu.Unlock()
		answer(nil, nil)
	case c.Method() == protocol.MethodWorkspaceExecuteCommand:
		s.start(ctx, c, answer)
	case isInteractive(c):
		s.interactive(ctx, c.Method(), c.Params(), answer)
	default:
		answer(nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "there is no method %q", c.Method()))
	}
	return nil
}

// start registers a command and runs it on a goroutine.
func (s *server) start(ctx context.Context, request *jsonrpc2.Call, answer func(any, error)) {
	c := &call{id: request.ID()}
	c.bad = json.Unmarshal(request.Params(), &c.params)
	c.token = c.params.WorkDoneToken
	stays := c.params.stays()
	if stays {
		ctx = s.wanted
	}
	ctx, cancel := context.WithCancel(ctx)
	c.cancel = cancel

	s.mu.Lock()
	c.client, c.recovered = s.client, s.recovered
	_, taken := s.calls[c.id]
	if !taken {
		s.calls[c.id] = c
	}
	s.mu.Unlock()
	if taken {
		cancel()
		answer(nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "a request with this id is running"))
		return
	}
	groups := []*sync.WaitGroup{&s.inFlight}
	if stays {
		groups = append(groups, &s.stayers)
	}
	s.spawn(func() {
		defer cancel()
		result, err := s.execute(ctx, c)
		// Before the answer: after it, the client may use the id again.
		s.mu.Lock()
		delete(s.calls, c.id)
		s.mu.Unlock()
		answer(result, err)
	}, groups...)
	runtime.Gosched() // the command first, on this thread: waking another one for it takes as long as a small command
}

// notified takes a notification. One that is unknown or cannot be read is ignored.
func (s *server) notified(method string, params json.RawMessage) {
	if method == protocol.MethodExit {
		s.stop(errExit)
		return
	}
	s.mu.Lock()
	now := s.state
	s.mu.Unlock()
	if now == fresh {
		return
	}
	var err error
	switch method {
	case protocol.MethodCancelRequest:
		var p struct {
			ID json.RawMessage `json:"id"`
		}
		var id jsonrpc2.ID
		if err = json.Unmarshal(params, &p); err == nil {
			if id, err = readID(p.ID); err == nil {
				s.cancel(func(c *call) bool { return c.id == id })
			}
		}
	case protocol.MethodWorkDoneProgressCancel:
		var p protocol.WorkDoneProgressCancelParams
		if err = json.Unmarshal(params, &p); err == nil {
			s.cancel(func(c *call) bool { return c.token != nil && *c.token == p.Token })
			s.cancelTask(p.Token)
		}
	case protocol.MethodSetTrace:
		var p protocol.SetTraceParams
		if err = json.Unmarshal(params, &p); err == nil {
			s.setTrace(p.Value)
		}
	case protocol.MethodWorkspaceDidChangeConfiguration:
		err = s.configure(params)
	case protocol.MethodWorkspaceDidChangeWorkspaceFolders:
		err = s.changeFolders(params)
	}
	if err != nil {
		s.log.Warn("a notification could not be read", zap.String("method", method), zap.Error(err))
	}
}

// cancel cancels the calls that match.
func (s *server) cancel(match func(*call) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if match(c) {
			c.cancel()
		}
	}
}

// cancelTask cancels what outlives its call.
func (s *server) cancelTask(token protocol.ProgressToken) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.tasks {
		if c.token != nil && *c.token == token {
			c.cancel()
		}
	}
}

// notify sends a notification. It takes no context: the end of a cancelled command must be told as well.
func (s *server) notify(method string, params any) {
	// encoding/json, since the library's own knows no omitzero.
	raw, err := json.Marshal(params)
	if err != nil {
		s.file.Error("a notification could not be written", zap.String("method", method), zap.Error(err))
		return
	}
	_ = s.conn.Notify(context.Background(), method, s.toldInLanguage(method, raw)) // a write error has ended the server
}

// background runs what outlives an answer, until the server ends.
func (s *server) background(f func(ctx context.Context)) {
	s.spawn(func() {
		defer func() {
			if r := recover(); r != nil {
				s.panicked("background", r)
			}
		}()
		f(s.base)
	}, &s.inFlight)
}

// task runs f in the background, with a progress that the client can cancel.
func (s *server) task(title string, f func(ctx context.Context)) {
	s.background(func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s.mu.Lock()
		c := &call{cancel: cancel, client: s.client}
		s.tasks[c] = true
		s.mu.Unlock()
		p := &progress{s: s}
		p.token = s.createToken(ctx, c)
		p.send(value{Kind: "begin", Title: title, Cancellable: true})
		defer p.end("")
		defer func() {
			s.mu.Lock()
			delete(s.tasks, c)
			s.mu.Unlock()
		}()
		f(ctx)
	})
}

// spawn runs f on a goroutine that the end waits for, as groups say. Once the server is ending, nothing new starts: nobody
// would read its answer.
func (s *server) spawn(f func(), groups ...*sync.WaitGroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return
	}
	for _, g := range groups {
		g.Add(1)
	}
	go func() {
		defer func() {
			for _, g := range groups {
				g.Done()
			}
		}()
		f()
	}()
}

func (s *server) panicked(where string, value any) {
	s.log.Error("panic", zap.String("in", where), zap.String("value", fmt.Sprint(value)), zap.ByteString("stack", debug.Stack()))
}

func (s *server) wasShutDown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == shutDown
}

// waitForStayers waits for the calls that were to go on without their client. They have limits of their own, and an end that
// somebody asks for cancels them.
func (s *server) waitForStayers() {
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	s.stayers.Wait()
}

// waitForCalls waits until nothing runs any more; false: the time was up.
func (s *server) waitForCalls(limit time.Duration) bool {
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.inFlight.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}
