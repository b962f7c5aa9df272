package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// interruptible gives a context that ends with Ctrl-C, SIGTERM or a closed terminal. The signals stay caught until stop:
// a second Ctrl-C must not end the process in the middle of a roll-back.
func (l *line) interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	caught, ended := make(chan os.Signal, 4), make(chan struct{})
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := new(atomic.Bool)
	l.done = done
	go func() {
		defer close(ended)
		first := true
		for range caught {
			if l.errTerminal && !l.json && !done.Load() {
				if first {
					fmt.Fprintf(l.err, "\n%s\n", l.say("Cancelling: what was begun is taken back."))
				} else {
					fmt.Fprintf(l.err, "\n%s\n", l.say("Still taking back; this must not be cut short."))
				}
			}
			first = false
			cancel()
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		close(caught)
		<-ended
		cancel()
	}
}
