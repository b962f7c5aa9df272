package sidecar

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/sidefork/sidefork/commands"
)

const (
	// createWithin is how long a client may take to accept a token. One that does not answer gets no progress, and its
	// command runs.
	createWithin = time.Second
	// reportEvery spaces reports that move no percentage: a message for each file would fill the pipe.
	reportEvery = 100 * time.Millisecond
)

// progress tells the client how a command goes: begin, reports, end. It sends whether or not the command was cancelled.
type progress struct {
	s     *server
	token *protocol.ProgressToken // nil: nobody asked

	mu      sync.Mutex
	percent int
	last    time.Time
	over    bool
}

// value is a $/progress value. The library's types leave out a percentage of 0, and a client that sees none in begin
// draws no bar.
type value struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Cancellable bool   `json:"cancellable,omitempty"`
	Message     string `json:"message,omitempty"`
	Percentage  *int   `json:"percentage,omitempty"`
}

// begin starts a command's progress on the request's token, else, for a long command, on one of our own where the client
// lets us make one.
func (s *server) begin(ctx context.Context, c *call) *progress {
	title, long := s.titleOf(c.params.Command)
	title = s.language().Text(title)
	p := &progress{s: s, token: c.token}
	if p.token == nil && long && c.client.workDoneProgress {
		p.token = s.createToken(ctx, c)
	}
	p.send(value{Kind: "begin", Title: title, Cancellable: true, Percentage: new(int)})
	return p
}

// createToken makes a token that the client has accepted; nil if it did not. The call can be cancelled by it before the
// client knows it.
func (s *server) createToken(ctx context.Context, c *call) *protocol.ProgressToken {
	s.mu.Lock()
	s.created++
	token := protocol.NewProgressToken(fmt.Sprintf("sidefork-%d", s.created))
	c.token = token
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, createWithin)
	defer cancel()
	if _, err := s.conn.Call(ctx, protocol.MethodWorkDoneProgressCreate, &protocol.WorkDoneProgressCreateParams{Token: *token}, nil); err != nil {
		s.log.Info("the client made no progress token", zap.Error(err))
		return nil
	}
	return token
}

// Stage tells that a stage was reached, to people and, as sidefork/stage, to programs.
func (p *progress) Stage(operationID string, stage commands.Stage, percent int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.report(percent, p.s.language().Text(stage.Title()))
	p.s.notify("sidefork/stage", struct {
		OperationID string         `json:"operationId"`
		Stage       commands.Stage `json:"stage"`
	}{operationID, stage})
}

// Report tells how far a stage is.
func (p *progress) Report(percent int, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || percent <= p.percent && time.Since(p.last) < reportEvery {
		return
	}
	p.report(percent, message)
}

// report sends a percentage that never goes back. p.mu is held.
func (p *progress) report(percent int, message string) {
	p.percent = max(p.percent, min(percent, 100))
	p.last = time.Now()
	now := p.percent
	p.send(value{Kind: "report", Message: commands.Printable(message), Percentage: &now})
}

func (p *progress) end(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.over = true
		p.send(value{Kind: "end", Message: p.s.language().Text(message)})
	}
}

func (p *progress) send(v value) {
	if p.token != nil {
		p.s.notify(protocol.MethodProgress, &protocol.ProgressParams{Token: *p.token, Value: v})
	}
}
