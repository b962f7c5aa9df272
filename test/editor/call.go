package editor

import (
	"context"
	"encoding/json"
	"fmt"
)

// Progress is one $/progress value.
type Progress struct {
	Kind        string `json:"kind"` // begin, report, end
	Title       string `json:"title"`
	Cancellable bool   `json:"cancellable"`
	Message     string `json:"message"`
	Percentage  *int   `json:"percentage"`
}

// Call is a request that is waited for.
type Call struct {
	ID       any             // a number, unless CallAs was used
	Stages   *Feed[string]   // sidefork/stage of its operationId; closed by the answer
	Progress *Feed[Progress] // on its own token; nil without one

	done   chan struct{}
	result json.RawMessage
	err    error
}

// Call sends a request with the next number as its id. An error in sending is what Wait gives.
func (e *Editor) Call(method string, params any) *Call {
	e.mu.Lock()
	e.lastID++
	id := e.lastID
	e.mu.Unlock()
	return e.CallAs(id, method, params)
}

// CallAs sends a request with an id of the caller's choice.
func (e *Editor) CallAs(id any, method string, params any) *Call {
	c := e.expect(id, params)
	if err := e.send(id, method, params); err != nil {
		e.mu.Lock()
		_, waiting := e.calls[marshal(id)]
		delete(e.calls, marshal(id))
		e.mu.Unlock()
		if waiting {
			c.finish(nil, fmt.Errorf("%w: %w", ErrGone, err))
		}
	}
	return c
}

// expect gets ready for the answer to a request. What can be known of the request by looking at its params tells how its
// progress will be told apart.
func (e *Editor) expect(id, params any) *Call {
	var look struct {
		WorkDoneToken json.RawMessage
		Arguments     []json.RawMessage
	}
	_ = json.Unmarshal([]byte(marshal(params)), &look)
	var first struct{ OperationID string }
	if len(look.Arguments) > 0 {
		_ = json.Unmarshal(look.Arguments[0], &first)
	}
	c := &Call{ID: id, Stages: newFeed[string](), done: make(chan struct{})}
	if look.WorkDoneToken != nil {
		c.Progress = e.progressOf(string(look.WorkDoneToken))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		c.finish(nil, e.broken)
		return c
	}
	e.calls[marshal(id)] = c
	if first.OperationID != "" {
		e.byOp[first.OperationID] = c
	}
	return c
}

// finish is called once: by whoever took the call out of the editor's map, or closed it.
func (c *Call) finish(result json.RawMessage, err error) {
	c.result, c.err = result, err
	c.Stages.close(errAnswered)
	close(c.done)
}

// Done is closed when the answer is there.
func (c *Call) Done() <-chan struct{} { return c.done }

// Wait gives the answer: a result, an *Error, or ErrGone.
func (c *Call) Wait(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-c.done:
		return c.result, c.err
	case <-ctx.Done():
		return nil, fmt.Errorf("editor: no answer to request %v: %w", c.ID, ctx.Err())
	}
}

// Into waits for the answer and reads it into v.
func (c *Call) Into(ctx context.Context, v any) error {
	raw, err := c.Wait(ctx)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// Sent is one of several requests that go out in one write.
type Sent struct {
	ID     any // nil: a notification
	Method string
	Params any
}

// Together sends messages in one write, so that the server finds the next one the moment it has read one. The calls are
// those of the messages with an id, in their order.
func (e *Editor) Together(messages ...Sent) (calls []*Call, err error) {
	var all []byte
	for _, m := range messages {
		body := map[string]any{"jsonrpc": "2.0", "method": m.Method, "params": m.Params}
		if m.ID != nil {
			body["id"] = m.ID
			calls = append(calls, e.expect(m.ID, m.Params))
		}
		text := marshal(body)
		all = fmt.Appendf(all, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	return calls, e.Raw(all)
}

// Expect gets ready for the answer to a request that is sent by Frame or Raw.
func (e *Editor) Expect(id any) *Call { return e.expect(id, nil) }
