// Package client is the other end of sidecar's wire: a client that asks a sidecar for commands and hears its notifications.
// It is how the command line asks one on another machine; editors have clients of their own.
//
// Dial is the one entry. It knows frames, ids, cancelling and silence, and nothing of ssh or of what a command means. A call
// ends with the sidecar's answer, with its *Error, or with ErrLost: then nobody knows what has become of it.
package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidefork/sidefork/sidecar/frame"
)

// ErrLost is in the chain of the error of a call whose answer will not come any more.
var ErrLost = errors.New("the connection to the sidecar was lost")

// Options are what a client is made of.
type Options struct {
	Name, Version string // of this client, for the sidecar's log
	Locale        string // the language to be answered in; "": the sidecar's own
	// Notify hears every notification, in the order of the wire, before the answers that come behind it. nil: nobody does.
	Notify func(method string, params json.RawMessage)
	// Silence is how long nothing may come while an answer is awaited, until the sidecar is asked whether it is there; when
	// another Silence brings nothing either, the connection counts as lost. 0: 20 s.
	Silence time.Duration
}

// Error is a sidecar's refusal of a request: JSON-RPC's error. Data is the contract's ("Errors" in docs/contract.md).
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// MethodNotFound is the code of a request that a sidecar does not know.
const MethodNotFound = -32601

// Server is what a sidecar told of itself.
type Server struct {
	Name, Version string
	Contract      int      // 0: it is no sidefork
	Platform      string   // as GOOS has it
	Cwd           string   // the folder that it was started in; "" where it does not say
	Commands      []string // by their names on the wire
	Features      []string
}

// Serves says whether a sidecar has named a feature, or a command by its name on the wire.
func (s Server) Serves(name string) bool {
	return slices.Contains(s.Features, name) || slices.Contains(s.Commands, name)
}

// Client is a connection to a sidecar. Its calls may come from many goroutines.
type Client struct {
	Server Server
	opt    Options
	out    io.Writer
	heard  atomic.Int64 // the frames that have come

	writing sync.Mutex
	mu      sync.Mutex
	next    int
	waiting map[int]chan<- answer
	ended   chan struct{} // closed when nothing can come any more
	why     error
}

type answer struct {
	result json.RawMessage
	failed *Error
}

func (a answer) told() (json.RawMessage, error) {
	if a.failed != nil {
		return nil, a.failed
	}
	return a.result, nil
}

// Dial begins a connection on the two ends of a sidecar's pipes and waits until it has told of itself. It reads in until
// that ends: the caller closes both when they are of no more use, and before ctx's end counts.
func Dial(ctx context.Context, in io.Reader, out io.Writer, opt Options) (*Client, error) {
	if opt.Silence == 0 {
		opt.Silence = 20 * time.Second
	}
	c := &Client{opt: opt, out: out, waiting: map[int]chan<- answer{}, ended: make(chan struct{})}
	go c.read(frame.NewReader(in))
	began := make(chan answer, 1)
	if err := c.send(began, "initialize", map[string]any{
		"processId":    nil, // it may be of another machine
		"clientInfo":   map[string]string{"name": opt.Name, "version": opt.Version},
		"capabilities": map[string]any{},
		"locale":       opt.Locale,
	}); err != nil {
		return nil, err
	}
	select { // however long it takes: a person may be typing a password
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.ended:
		return nil, c.lost()
	case a := <-began:
		if a.failed != nil {
			return nil, a.failed
		}
		c.Server = serverOf(a.result)
	}
	return c, c.notify("initialized", struct{}{})
}

// serverOf reads what is used of the answer to initialize. What it does not know is ignored.
func serverOf(raw json.RawMessage) Server {
	var a struct {
		ServerInfo struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
		Capabilities struct {
			ExecuteCommandProvider struct {
				Commands []string `json:"commands"`
			} `json:"executeCommandProvider"`
			Experimental struct {
				Sidefork struct {
					Contract int      `json:"contract"`
					Platform string   `json:"platform"`
					Cwd      string   `json:"cwd"`
					Features []string `json:"features"`
				} `json:"sidefork"`
			} `json:"experimental"`
		} `json:"capabilities"`
	}
	if json.Unmarshal(raw, &a) != nil {
		return Server{}
	}
	own := a.Capabilities.Experimental.Sidefork
	return Server{
		Name: a.ServerInfo.Name, Version: a.ServerInfo.Version, Contract: own.Contract, Platform: own.Platform, Cwd: own.Cwd,
		Commands: a.Capabilities.ExecuteCommandProvider.Commands, Features: own.Features,
	}
}

// Call asks and waits for the answer. When ctx ends, the sidecar is told to cancel, and its answer is still waited for: only
// that says what has become of it.
func (c *Client) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	came := make(chan answer, 1)
	id, err := c.sendCall(came, method, params)
	if err != nil {
		return nil, err
	}
	cancelled := ctx.Done()
	silence := time.NewTicker(c.opt.Silence)
	defer silence.Stop()
	heard, asked := c.heard.Load(), false // asked: whether it is there
	for {
		select {
		case a := <-came:
			return a.told()
		case <-c.ended:
			select {
			case a := <-came: // the last thing that was heard
				return a.told()
			default:
				return nil, c.lost()
			}
		case <-cancelled:
			cancelled = nil
			go func() { _ = c.notify("$/cancelRequest", map[string]int{"id": id}) }() // a write may block
		case <-silence.C:
			switch now := c.heard.Load(); {
			case now != heard:
				heard, asked = now, false
			case asked:
				c.end(fmt.Errorf("nothing was heard for %s", 2*c.opt.Silence))
			default:
				asked = true
				go func() { _ = c.send(make(chan answer, 1), "sidefork/alive", struct{}{}) }() // any answer will do
			}
		}
	}
}

// goodbye is how long a sidecar may take to answer that it was left.
const goodbye = 2 * time.Second

// Close takes leave. What still runs there is taken back, or goes on, as its argument said.
func (c *Client) Close() {
	came := make(chan answer, 1)
	if c.send(came, "shutdown", nil) == nil {
		select {
		case <-came:
		case <-c.ended:
		case <-time.After(min(c.opt.Silence, goodbye)):
		}
		_ = c.notify("exit", nil)
	}
}

// Ended is closed when nothing can come any more.
func (c *Client) Ended() <-chan struct{} { return c.ended }

func (c *Client) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Errorf("%w: %w", ErrLost, c.why)
}

// end says that nothing can come any more; the first reason counts.
func (c *Client) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == nil {
		c.why = why
		close(c.ended)
	}
}

func (c *Client) send(came chan<- answer, method string, params any) error {
	_, err := c.sendCall(came, method, params)
	return err
}

func (c *Client) sendCall(came chan<- answer, method string, params any) (id int, err error) {
	c.mu.Lock()
	c.next++
	id = c.next
	c.waiting[id] = came
	c.mu.Unlock()
	return id, c.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

func (c *Client) notify(method string, params any) error {
	return c.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// write sends one message. An error of the pipe ends the connection.
func (c *Client) write(message map[string]any) error {
	if message["params"] == nil {
		delete(message, "params")
	}
	body, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := frame.Write(c.out, body); err != nil {
		c.end(err)
		return c.lost()
	}
	return nil
}

// read takes what comes until nothing does.
func (c *Client) read(in *bufio.Reader) {
	for {
		body, err := frame.Read(in)
		if err != nil {
			c.end(err)
			return
		}
		c.heard.Add(1)
		c.take(body)
	}
}

// take hands one message to whom it is for. One that cannot be read is for nobody.
func (c *Client) take(body []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  *Error          `json:"error"`
	}
	var id int
	switch err := json.Unmarshal(body, &m); {
	case err != nil:
	case m.Method != "" && m.ID != nil: // nothing that a sidecar may ask was announced
		go func() {
			_ = c.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": Error{Code: MethodNotFound, Message: "this client serves no " + m.Method}})
		}()
	case m.Method != "":
		if c.opt.Notify != nil {
			c.opt.Notify(m.Method, m.Params)
		}
	case json.Unmarshal(m.ID, &id) == nil:
		c.mu.Lock()
		came := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if came != nil {
			came <- answer{m.Result, m.Error}
		}
	}
}
