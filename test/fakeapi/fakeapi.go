// Package fakeapi stands in for the model APIs that coding agents talk to, so that real agents can hold a conversation
// in a test: StartAnthropic for Claude Code, StartOpenAI for Codex, opencode and pi. It listens on loopback only, keeps every request,
// and never sees a model.
//
// What it answers is decided by the conversation in the request alone:
//   - CODEWORD-X anywhere in it               "RECALL CODEWORD-X …", each once, in their order; else "RECALL none"
//   - RUN[command] in the newest user text    a call of the agent's shell tool with that command
//   - ASK[command] in the newest user text    the same, but outside of Codex's sandbox, for which it may have to ask
//   - HOLD[name] in the newest user text      the answer begins, and ends only after Release(name)
//   - SLOW[ms] in the newest user text        the answer begins, and ends so many milliseconds later
package fakeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// Request is one request as it came. Its JSON is one line of the log.
type Request struct {
	N       int               `json:"n"`
	Time    time.Time         `json:"time"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"` // names in lower case; keys and tokens only as "(present)"
	Body    json.RawMessage   `json:"body,omitempty"`
	Text    string            `json:"text,omitempty"` // the body where it is not JSON
}

// Line is the request as the log has it.
func (r Request) Line() string {
	line, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(line)
}

// Server is a fake API that listens.
type Server struct {
	// URL is http://127.0.0.1:PORT, without a path.
	URL string

	server *http.Server
	served chan struct{} // closed when the listener has ended
	log    io.Writer

	mu       sync.Mutex
	requests []Request
	news     chan struct{}            // closed and replaced at each request
	holds    map[string]chan struct{} // closed by Release
}

// API answers one kind of request; see Anthropic and OpenAI.
type API func(s *Server, w http.ResponseWriter, r *http.Request, seen Request)

// Listen starts a fake API on a loopback address ("127.0.0.1:0" for any port). Each request is written to log as a JSON
// line, unless log is nil.
func Listen(address string, api API, log io.Writer) (*Server, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil || !net.ParseIP(host).IsLoopback() {
		return nil, fmt.Errorf("fakeapi: %q is not a loopback address with a port", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: %w", err)
	}
	s := &Server{
		URL:    "http://" + listener.Addr().String(),
		served: make(chan struct{}),
		log:    log,
		news:   make(chan struct{}),
		holds:  map[string]chan struct{}{},
	}
	s.server = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return // the agent is gone
			}
			api(s, w, r, s.record(r, body))
		}),
	}
	go func() {
		defer close(s.served)
		_ = s.server.Serve(listener) // ends with ErrServerClosed
	}()
	return s, nil
}

// StartAnthropic starts a fake Anthropic Messages API that ends with the test.
func StartAnthropic(t testing.TB) *Server { return start(t, Anthropic) }

// StartOpenAI starts a fake OpenAI API (Responses, Chat Completions) that ends with the test. Its base URL is URL + "/v1".
func StartOpenAI(t testing.TB) *Server { return start(t, OpenAI) }

func start(t testing.TB, api API) *Server {
	t.Helper()
	s, err := Listen("127.0.0.1:0", api, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Close ends the server and every answer that is still held.
func (s *Server) Close() {
	_ = s.server.Close()
	<-s.served
}

// Requests gives all requests so far, in their order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Await gives the first request that matches, waiting for it until ctx ends.
func (s *Server) Await(ctx context.Context, matches func(Request) bool) (Request, error) {
	next := 0
	for {
		s.mu.Lock()
		fresh, news := s.requests[next:], s.news
		s.mu.Unlock()
		for _, r := range fresh {
			if matches(r) {
				return r, nil
			}
		}
		next += len(fresh)
		select {
		case <-news:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("fakeapi: no such request among %d: %w", next, context.Cause(ctx))
		}
	}
}

// Release lets every answer go on that is, or will be, held by HOLD[name].
func (s *Server) Release(name string) {
	held := s.hold(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-held:
	default:
		close(held)
	}
}

func (s *Server) hold(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds[name] == nil {
		s.holds[name] = make(chan struct{})
	}
	return s.holds[name]
}

// pause waits as long as the answer is to be held, or until the agent hangs up.
func (s *Server) pause(ctx context.Context, a answer) {
	if a.hold != "" {
		select {
		case <-s.hold(a.hold):
		case <-ctx.Done():
		}
	}
	if a.wait > 0 {
		select {
		case <-time.After(a.wait):
		case <-ctx.Done():
		}
	}
}

func (s *Server) record(r *http.Request, body []byte) Request {
	headers := map[string]string{}
	for name := range r.Header {
		lower := strings.ToLower(name)
		headers[lower] = r.Header.Get(name)
		if lower == "x-api-key" || lower == "authorization" {
			headers[lower] = "(present)"
		}
	}
	seen := Request{Time: time.Now().UTC(), Method: r.Method, Path: r.URL.RequestURI(), Headers: headers}
	if json.Valid(body) {
		seen.Body = body
	} else {
		seen.Text = string(body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seen.N = len(s.requests) + 1
	s.requests = append(s.requests, seen)
	if s.log != nil {
		_, _ = io.WriteString(s.log, seen.Line()+"\n")
	}
	close(s.news)
	s.news = make(chan struct{})
	return seen
}

// sendJSON answers with one JSON document.
func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// object is a JSON object.
type object map[string]any

// stream answers with server-sent events.
type stream struct{ w http.ResponseWriter }

func openStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	return stream{w}
}

// event sends v under its name, which v carries too as its type.
func (s stream) event(name string, v object) {
	v["type"] = name
	data, _ := json.Marshal(v)
	_, _ = fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", name, data)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}

// data sends v without a name.
func (s stream) data(v object) {
	text, _ := json.Marshal(v)
	s.text(string(text))
}

func (s stream) text(data string) {
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", data)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}
