//go:build linux

package remote

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sidefork/sidefork/sidecar/frame"
)

// The valve stands between the client and its ssh, where messages can still be told from each other, and asks the test about
// each before it goes on: so a line breaks exactly there.

// passing is a message on its way.
type passing struct {
	Conn   int    // which connection, from 1
	N      int    // which message of its direction, from 1
	ToHost bool   // the direction
	Method string // "" of an answer
}

func (p passing) String() string {
	to, what := "to the client", p.Method
	if p.ToHost {
		to = "to the host"
	}
	if what == "" {
		what = "an answer"
	}
	return fmt.Sprintf("%s %d: %s", to, p.N, what)
}

// valves decides about messages for the valves of one test.
type valves struct {
	listener net.Listener
	mu       sync.Mutex
	conns    int
	decide   func(passing) (pass bool) // not passed: nothing of this direction passes any more
}

func newValves(t *testing.T, decide func(passing) bool) (v *valves, filter string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "valve") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	at := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	v = &valves{listener: listener, decide: decide}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			v.mu.Lock()
			v.conns++
			number := v.conns
			v.mu.Unlock()
			go v.serve(c, number)
		}
	}()
	return v, fmt.Sprintf("env %s=valve VALVE=%s %s", role, at, os.Args[0])
}

// serve answers one valve's questions: of both directions, each by a line.
func (v *valves) serve(c net.Conn, number int) {
	defer c.Close()
	for in := bufio.NewScanner(c); in.Scan(); {
		var p passing
		if json.Unmarshal(in.Bytes(), &p) != nil {
			return
		}
		p.Conn = number
		go func() { // one direction may wait while the other goes on
			answer := struct {
				ToHost, Pass bool
			}{p.ToHost, v.decide(p)}
			line, _ := json.Marshal(answer)
			_, _ = c.Write(append(line, '\n'))
		}()
	}
}

// valve is this program as a valve: its arguments are ssh's command line.
func valve() int {
	asks, err := net.Dial("unix", os.Getenv("VALVE"))
	if err != nil {
		return 254
	}
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		return 254
	}
	may := map[bool]chan bool{true: make(chan bool, 1), false: make(chan bool, 1)}
	go func() {
		for answers := bufio.NewScanner(asks); answers.Scan(); {
			var a struct{ ToHost, Pass bool }
			if json.Unmarshal(answers.Bytes(), &a) == nil {
				may[a.ToHost] <- a.Pass
			}
		}
		close(may[true])
		close(may[false])
	}()
	relay := func(from io.Reader, to io.Writer, toHost bool) {
		reader := frame.NewReader(from)
		for n := 1; ; n++ {
			body, err := frame.Read(reader)
			if err != nil {
				return
			}
			var m struct{ Method string }
			_ = json.Unmarshal(body, &m)
			line, _ := json.Marshal(passing{N: n, ToHost: toHost, Method: m.Method})
			_, _ = asks.Write(append(line, '\n'))
			if !<-may[toHost] {
				_, _ = io.Copy(io.Discard, reader)
				return
			}
			if _, err := frame.Write(to, body); err != nil {
				return
			}
		}
	}
	go func() {
		relay(os.Stdin, in, true)
		in.Close()
	}()
	relay(out, os.Stdout, false)
	os.Stdout.Close()
	if err := cmd.Wait(); err != nil {
		return cmd.ProcessState.ExitCode()
	}
	return 0
}
