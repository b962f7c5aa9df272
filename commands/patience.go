package commands

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/sidefork/sidefork/carry/pulse"
)

// patience is how long a command may go without any progress: no file looked at, none of a file's bytes copied, no git
// that computes, reads or writes. What has a limit of its own, or is the repository's program, does not count.
const patience = 120 * time.Second

// patiently does something, and cancels it when it makes no progress for so long. What does not heed that either, since
// the system does not come back from a call, is left behind after as long again, and the error is why.
func patiently[T any](ctx context.Context, limit time.Duration, do func(ctx context.Context) T) (result T, hangs *Failure) {
	limit = cmp.Or(limit, patience)
	ctx, heard := pulse.With(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done, mistakes := make(chan T, 1), make(chan any, 1) // it may come back when nobody waits any more
	go func() {
		defer func() {
			if r := recover(); r != nil {
				mistakes <- r
			}
		}()
		done <- do(ctx)
	}()
	for wait, cancelled := limit, false; ; {
		select {
		case result = <-done:
			return result, nil
		case mistake := <-mistakes:
			panic(mistake) // as if it had been done here
		case <-time.After(wait):
		}
		quiet := heard.Quiet()
		switch wait = limit - quiet; {
		case wait > 0:
		case cancelled:
			return result, noProgress(limit, heard.Doing())
		default:
			cancel(noProgress(limit, heard.Doing()))
			cancelled, wait = true, limit
			heard.Beat() // it is taken back now
		}
	}
}

// noProgress is why a command was ended that hangs.
func noProgress(limit time.Duration, doing string) *Failure {
	no := refuse("noProgress", "limit", limit.String())
	if doing != "" {
		no.Detail = "The last that was begun: " + printableText(doing)
	}
	return no
}

// leaving is a progress that knows whether anything may have been written, and that can be let go of.
type leaving struct {
	to      Progress
	written atomic.Bool
	left    atomic.Bool
}

func (l *leaving) Stage(operationID string, stage Stage, percent int) {
	l.written.Store(l.written.Load() || stage != Preparing)
	if !l.left.Load() {
		l.to.Stage(operationID, stage, percent)
	}
}

func (l *leaving) Report(percent int, message string) {
	if !l.left.Load() {
		l.to.Report(percent, message)
	}
}
