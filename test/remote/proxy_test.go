//go:build linux

package remote

import (
	"net"
	"sync"
	"testing"
	"time"
)

// proxy is the line to the box: as slow as wanted, and broken when wanted.
type proxy struct {
	listener net.Listener
	target   string
	latency  time.Duration // each way
	rate     int           // bytes a second each way; 0: no bound

	mu    sync.Mutex
	come  *sync.Cond // a connection has
	conns map[net.Conn]*pair
	shut  bool // new ones are refused
}

// pair is one connection through the proxy.
type pair struct {
	here, there net.Conn
	silent      chan struct{} // closed: nothing goes through any more, and neither end is told
}

func newProxy(t *testing.T, b *box) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, target: b.addr(), conns: map[net.Conn]*pair{}}
	p.come = sync.NewCond(&p.mu)
	go p.accept()
	t.Cleanup(func() {
		listener.Close()
		for _, c := range p.take(0) {
			reset(c.here)
			reset(c.there)
		}
	})
	return p
}

func (p *proxy) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

func (p *proxy) accept() {
	for {
		here, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		shut := p.shut
		p.mu.Unlock()
		if shut {
			reset(here)
			continue
		}
		there, err := net.Dial("tcp", p.target)
		if err != nil {
			here.Close()
			continue
		}
		c := &pair{here, there, make(chan struct{})}
		p.mu.Lock()
		p.conns[here] = c
		p.come.Broadcast()
		p.mu.Unlock()
		go p.carry(c, here, there)
		go p.carry(c, there, here)
	}
}

type chunk struct {
	at   time.Time
	what []byte
}

// carry brings what comes from one end to the other, in its order, later and slowly.
func (p *proxy) carry(c *pair, from, to net.Conn) {
	line := make(chan chunk, 4096)
	go func() {
		defer close(line)
		for {
			what := make([]byte, 1024)
			n, err := from.Read(what)
			if n > 0 {
				line <- chunk{time.Now(), what[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	for piece := range line {
		time.Sleep(time.Until(piece.at.Add(p.latency))) // the line
		if p.rate > 0 {
			time.Sleep(time.Duration(len(piece.what)) * time.Second / time.Duration(p.rate))
		}
		select {
		case <-c.silent:
			continue
		default:
		}
		if _, err := to.Write(piece.what); err != nil {
			break
		}
	}
	select {
	case <-c.silent:
	default:
		to.Close()
	}
	for range line { // what is left goes nowhere
	}
}

// cut breaks every connection that there is: both ends are told at once. A message may be on its way before its connection
// is: that is waited for.
func (p *proxy) cut() {
	for _, c := range p.take(1) {
		reset(c.here)
		reset(c.there)
	}
}

// hush lets nothing through any more on the connections that there are, and tells neither end: as when a laptop sleeps, or a
// cable is pulled. The ends are closed when the test ends.
func (p *proxy) hush(t *testing.T) {
	for _, c := range p.take(1) {
		close(c.silent)
		t.Cleanup(func() {
			reset(c.here)
			reset(c.there)
		})
	}
}

// close has the host unreachable from now on.
func (p *proxy) close() {
	p.mu.Lock()
	p.shut = true
	p.mu.Unlock()
	p.cut()
}

// take takes the connections, at least so many.
func (p *proxy) take(least int) (all []*pair) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.conns) < least {
		p.come.Wait()
	}
	for _, c := range p.conns {
		all = append(all, c)
	}
	clear(p.conns)
	return all
}

func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}
