package sidecar

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"

	"github.com/sidefork/sidefork/sidecar/frame"
)

// stream is the connection's jsonrpc2.Stream.
type stream struct {
	in   *bufio.Reader
	stop context.CancelCauseFunc // ends the server: no more can be read or written
	bad  func(error)             // hears of each message that could not be read

	mu      sync.Mutex
	out     io.Writer
	waiting map[jsonrpc2.ID]bool // our own requests that are not answered yet
}

func newStream(in io.Reader, out io.Writer, stop context.CancelCauseFunc) *stream {
	return &stream{in: frame.NewReader(in), out: out, stop: stop, waiting: map[jsonrpc2.ID]bool{}}
}

// Read gives the next message. What is in a sound frame and no message is answered and skipped; a broken frame ends the
// server, since nothing says where the next one begins.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		body, err := frame.Read(s.in)
		if err != nil {
			if broken, ok := errors.AsType[frame.Broken](err); ok {
				s.bad(err)
				s.refuse(jsonrpc2.NewError(jsonrpc2.ParseError, string(broken)))
			}
			why := err
			if errors.Is(err, io.EOF) {
				why = errClientGone
			}
			s.stop(why)
			return nil, 0, err
		}
		message, err := decode(body)
		if err != nil {
			s.bad(err)
			if answer, ok := errors.AsType[*jsonrpc2.Error](err); ok {
				s.refuse(answer)
			}
			continue
		}
		if answer, ok := message.(*jsonrpc2.Response); ok && !s.awaited(answer.ID()) {
			s.bad(errUnanswerable)
			continue
		}
		return message, int64(len(body)), nil
	}
}

// awaited says whether one of our requests waits for this answer. A second answer to the same one would block the
// library's read loop.
func (s *stream) awaited(id jsonrpc2.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.waiting[id]
	delete(s.waiting, id)
	return found
}

// refuse answers a message whose id is not known. The library cannot write a null id.
func (s *stream) refuse(e *jsonrpc2.Error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": jsonrpc2.Version, "id": nil, "error": e})
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		_, _ = s.write(body)
	}
}

// Write sends a message, header and body in one write.
func (s *stream) Write(_ context.Context, message jsonrpc2.Message) (int64, error) {
	// Not json.Marshal: it would validate and compact what the library has just made.
	body, err := message.(json.Marshaler).MarshalJSON()
	if err != nil {
		return 0, fmt.Errorf("sidecar: write: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if call, ok := message.(*jsonrpc2.Call); ok {
		s.waiting[call.ID()] = true
	}
	return s.write(body)
}

func (s *stream) write(body []byte) (int64, error) {
	n, err := frame.Write(s.out, body)
	if err != nil {
		s.stop(fmt.Errorf("sidecar: write: %w", err))
	}
	return int64(n), err
}

// Close does nothing: the streams belong to Serve's caller, and closing a blocking stdin hangs.
func (s *stream) Close() error { return nil }
