//go:build linux

package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sidefork/sidefork/cmd/sidefork/remote"
	"github.com/sidefork/sidefork/commands"
)

// TestAForkWhoseLineIsCutAtAnyMessageIsWholeOrGoneAndTheClientSaysWhich cuts the line just before each message of a fork, of
// either direction, reaches the other side.
func TestAForkWhoseLineIsCutAtAnyMessageIsWholeOrGoneAndTheClientSaysWhich(t *testing.T) {
	b := theBox(t)
	messages := messagesOfAFork(t, b)
	if len(messages) < 10 {
		t.Fatalf("a fork is only these messages: %v", messages)
	}
	var cuts atomic.Int64
	var mu sync.Mutex
	said := map[string]int{}
	for i, at := range messages {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(at.String(), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, b)
			p := newProxy(t, b)
			_, filter := newValves(t, func(now passing) bool {
				if now.Conn != 1 || now.N != at.N || now.ToHost != at.ToHost {
					return true
				}
				p.cut()
				cuts.Add(1)
				return false
			})
			h := client(t, b.ssh(t, p.port(), filter), nil)
			result, failed := s.fork(t.Context(), h, nil)
			words := s.said(t, result, failed)
			if strings.HasSuffix(words, ": internal") {
				t.Errorf("the client says %s: %s", words, failed.Detail)
			}
			if strings.HasPrefix(words, "unknown") {
				t.Errorf("the host can be reached, and the client says %s: %s", words, failed.Detail)
			}
			mu.Lock()
			said[words]++
			mu.Unlock()
		})
	}
	t.Cleanup(func() {
		t.Logf("the proxy cut %d messages of %d; the client said %v", cuts.Load(), len(messages), said)
		if cuts.Load() == 0 {
			t.Error("no message was cut: nothing was tested")
		}
	})
}

// messagesOfAFork are the messages of both directions of a fork that nothing happens to, up to its answer.
func messagesOfAFork(t *testing.T, b *box) []passing {
	t.Helper()
	var mu sync.Mutex
	var all []passing
	_, filter := newValves(t, func(p passing) bool {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, p)
		return true
	})
	s := newScene(t, b)
	h := client(t, b.ssh(t, b.port, filter), nil)
	result, failed := s.fork(t.Context(), h, nil)
	if got := s.said(t, result, failed); got != "done" {
		t.Fatalf("%s: %+v", got, failed)
	}
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(all)
}

// TestALineThatFallsSilentIsLossAndTheForkIsFoundOut: neither end is told that the line is dead, so the fork there goes on.
func TestALineThatFallsSilentIsLossAndTheForkIsFoundOut(t *testing.T) {
	b := theBox(t)
	var hushed atomic.Int64
	for n := 2; n <= 12; n += 2 {
		if testing.Short() && n != 4 {
			continue
		}
		t.Run(fmt.Sprint("message ", n), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, b)
			p := newProxy(t, b)
			_, filter := newValves(t, func(now passing) bool {
				if now.Conn == 1 && now.N == n && !now.ToHost {
					hushed.Add(1)
					p.hush(t)
				}
				return true
			})
			h := client(t, b.ssh(t, p.port(), filter), func(o *remote.Options) { o.Silence = 300 * time.Millisecond })
			result, failed := s.fork(t.Context(), h, nil)
			words := s.said(t, result, failed)
			if words != "done" && words != "nothing written: notBegun" {
				t.Errorf("the client says %s: %+v", words, failed)
			}
		})
	}
	t.Cleanup(func() {
		if hushed.Load() == 0 {
			t.Error("no line fell silent: nothing was tested")
		}
	})
}

// TestAHostThatCannotBeReachedAgainLeavesItUnknown: the client names the place to look at and the command to ask with, which
// says later what has become of it.
func TestAHostThatCannotBeReachedAgainLeavesItUnknown(t *testing.T) {
	b := theBox(t)
	for way, want := range map[string]string{"rollback": "rolledBack", "finish": "completed"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, b)
			p := newProxy(t, b)
			stages := 0
			_, filter := newValves(t, func(now passing) bool {
				if now.Method == "sidefork/stage" {
					stages++
				}
				if stages < 3 { // it has begun, and copies
					return true
				}
				if stages == 3 {
					p.close()
				}
				return false
			})
			h := client(t, b.ssh(t, p.port(), filter), func(o *remote.Options) { o.Waits = []time.Duration{0, 50 * time.Millisecond} })
			result, failed := s.fork(t.Context(), h, map[string]any{"onDisconnect": way})
			if got := s.said(t, result, failed); got != "unknown: lostContact" {
				t.Fatalf("%s: %+v", got, failed)
			}
			for _, part := range []string{s.child, "sidefork outcome " + s.operation, "--host box"} {
				if !strings.Contains(failed.Reason.Remedy, part) {
					t.Errorf("the remedy lacks %q: %s", part, failed.Reason.Remedy)
				}
			}
			later := client(t, b.ssh(t, b.port, ""), nil)
			switch state := outcome(t, later, s); state {
			case want:
			case "completed": // it was, before it could be taken back
			default:
				t.Errorf("later the outcome is %s", state)
			}
			if state := outcome(t, later, s); state == "completed" {
				s.whole(t)
			} else {
				s.gone(t)
			}
		})
	}
}

// outcome is how an operation has ended: it is asked until it has.
func outcome(t *testing.T, h *remote.Host, s *scene) string {
	t.Helper()
	ask := []byte(`{"operationId":"` + s.operation + `","repository":"` + s.parent + `"}`)
	for {
		result, failed := h.Run(t.Context(), &commands.Env{}, "sidefork.outcome", ask, quiet{})
		if failed != nil {
			t.Fatalf("%+v", failed)
		}
		var o commands.OutcomeResult
		decode(t, result, &o)
		if o.State != "running" && o.State != "unknownOperation" {
			return o.State
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestACancelWhoseLineIsCutIsStillACancel: what the user did not want any more is taken back, and that is said.
func TestACancelWhoseLineIsCutIsStillACancel(t *testing.T) {
	b := theBox(t)
	s := newScene(t, b)
	p := newProxy(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, filter := newValves(t, func(now passing) bool {
		switch {
		case now.Conn == 1 && now.Method == "sidefork/stage" && !now.ToHost:
			cancel()
		case now.Conn == 1 && now.Method == "$/cancelRequest":
			p.cut()
			return false
		}
		return true
	})
	h := client(t, b.ssh(t, p.port(), filter), nil)
	result, failed := s.fork(ctx, h, nil)
	if got := s.said(t, result, failed); got != "cancelled" && got != "done" {
		t.Errorf("%s: %+v", got, failed)
	}
}

// TestASlowLineIsOnlySlow: 200 ms each way, 64 kbit/s.
func TestASlowLineIsOnlySlow(t *testing.T) {
	b := theBox(t)
	if testing.Short() {
		t.Skip("it takes as long as such a line does")
	}
	t.Parallel()
	s := newScene(t, b)
	p := newProxy(t, b)
	p.latency, p.rate = 200*time.Millisecond, 64_000/8
	h := client(t, b.ssh(t, p.port(), ""), nil)
	result, failed := s.fork(t.Context(), h, nil)
	if got := s.said(t, result, failed); got != "done" {
		t.Errorf("%s: %+v", got, failed)
	}
}

// TestAReaderThatStallsHoldsUpNoFork: the client's side reads nothing after it has asked, and goes away in the end.
func TestAReaderThatStallsHoldsUpNoFork(t *testing.T) {
	b := theBox(t)
	s := newScene(t, b)
	p := newProxy(t, b)
	stalled := make(chan struct{})
	_, filter := newValves(t, func(now passing) bool {
		if now.Conn == 1 && !now.ToHost && now.N > 2 {
			<-stalled
		}
		return true
	})
	h := client(t, b.ssh(t, p.port(), filter), nil)
	answered := make(chan string, 1)
	go func() {
		result, failed := s.fork(t.Context(), h, nil)
		answered <- s.said(t, result, failed)
	}()
	later := client(t, b.ssh(t, b.port, ""), nil)
	if state := outcome(t, later, s); state != "completed" {
		t.Errorf("while the client reads nothing the outcome is %s", state)
	}
	p.cut()
	close(stalled)
	if got := <-answered; got != "done" {
		t.Errorf("the client says %s", got)
	}
}
