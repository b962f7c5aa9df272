// Package pulse tells whether work goes on. Whoever works says so through its context; whoever waits gives up when nobody
// has said anything for too long. A hang is no error that anything returns: a disk that does not answer, a git that does
// nothing.
package pulse

import (
	"context"
	"sync/atomic"
	"time"
)

// Pulse is what was last heard of the work under one context.
type Pulse struct {
	since time.Time
	last  atomic.Int64 // ns after since
	holds atomic.Int32
	doing atomic.Value // string
}

type key struct{}

// With begins to listen. The work is done under the context that it gives, or one made of that.
func With(ctx context.Context) (context.Context, *Pulse) {
	p := &Pulse{since: time.Now()}
	return context.WithValue(ctx, key{}, p), p
}

func of(ctx context.Context) *Pulse {
	p, _ := ctx.Value(key{}).(*Pulse)
	return p
}

// Quiet is how long nothing has been heard: 0 while something runs that has a limit of its own.
func (p *Pulse) Quiet() time.Duration {
	if p.holds.Load() > 0 {
		p.Beat()
	}
	return time.Since(p.since) - time.Duration(p.last.Load())
}

// Beat says that the work goes on.
func (p *Pulse) Beat() { p.last.Store(int64(time.Since(p.since))) }

// Doing is what was begun last, in a word or two; "" where nobody has said so.
func (p *Pulse) Doing() string {
	doing, _ := p.doing.Load().(string)
	return doing
}

// Listened says whether anybody wants to know.
func Listened(ctx context.Context) bool { return of(ctx) != nil }

// Beat says that the work goes on.
func Beat(ctx context.Context) {
	if p := of(ctx); p != nil {
		p.Beat()
	}
}

// Begin says what is being done now.
func Begin(ctx context.Context, doing string) {
	if p := of(ctx); p != nil {
		p.doing.Store(doing)
		p.Beat()
	}
}

// Hold is for what has a limit of its own, or none by right: until it is released nobody gives up.
func Hold(ctx context.Context) (release func()) {
	p := of(ctx)
	if p == nil {
		return func() {}
	}
	p.holds.Add(1)
	return func() {
		p.Beat()
		p.holds.Add(-1)
	}
}

// Context is one that beats whenever it is asked whether it was cancelled: every loop that can be cancelled asks that each
// time. A context made of it does not.
func Context(ctx context.Context) context.Context {
	if p := of(ctx); p != nil {
		return beating{ctx, p}
	}
	return ctx
}

type beating struct {
	context.Context
	pulse *Pulse
}

func (b beating) Err() error {
	b.pulse.Beat()
	return b.Context.Err()
}
