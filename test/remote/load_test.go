//go:build linux

package remote

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/cmd/sidefork/remote"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sidecar"
	wire "github.com/sidefork/sidefork/sidecar/client"
)

var soak = flag.Duration("soak", 0, "how long many clients go on; 0: for so many forks")

const (
	clients      = 8
	repositories = 10
	fewForks     = 20 // without -soak, which makes hundreds
)

// TestManyClientsLeaveNothingBehind: clients of one host fork and list, all at once, on their own connections. Each fork is whole,
// a second one of the same source is refused, and in the end every sidecar has as many files open as before, and listens nowhere.
func TestManyClientsLeaveNothingBehind(t *testing.T) {
	b := theBox(t)
	if testing.Short() {
		t.Skip("it takes a while")
	}
	forks := int64(fewForks)
	scenes := make([]*scene, repositories)
	for i := range scenes {
		scenes[i] = newScene(t, b)
	}
	ssh := b.ssh(t, b.port, "")
	hosts := make([]*remote.Host, clients)
	for i := range hosts {
		hosts[i] = client(t, ssh, nil)
		s := scenes[i] // one of each kind, so that what is opened once is open
		list(t, hosts[i], s.parent)
		if _, failed := s.fork(t.Context(), hosts[i], nil); failed != nil {
			t.Fatalf("%+v", failed)
		}
		s.remove(t, hosts[i], s.child)
	}
	idle := slowest(sample(50, func() { list(t, hosts[0], scenes[0].parent) }))
	before := b.sidecars(t)
	if len(before) != clients {
		t.Fatalf("there are %d sidecars for %d clients", len(before), clients)
	}

	var made, refused atomic.Int64
	var mu sync.Mutex
	var loaded []time.Duration
	began := time.Now()
	goesOn := func() bool {
		if *soak > 0 {
			return time.Since(began) < *soak
		}
		return made.Load() < forks
	}
	var all sync.WaitGroup
	for i, h := range hosts {
		all.Go(func() {
			for n := i; goesOn(); n++ {
				s := scenes[n%repositories]
				at := time.Now()
				list(t, h, s.parent)
				mu.Lock()
				loaded = append(loaded, time.Since(at))
				mu.Unlock()
				name := fmt.Sprintf("load-%d-%d", i, n)
				dir := filepath.Join(s.trees, name)
				argument, _ := json.Marshal(map[string]any{"operationId": uuid.NewString(), "workspace": s.parent, "name": name, "dir": dir, "launch": "none"})
				result, failed := h.Run(t.Context(), &commands.Env{}, "sidefork.fork", argument, quiet{})
				switch {
				case failed != nil && failed.Reason.Code == "forkInProgress" && failed.Effect == commands.Nothing:
					refused.Add(1)
					continue
				case failed != nil:
					t.Errorf("%+v", failed)
					return
				}
				var r commands.ForkResult
				decode(t, result, &r)
				if r.Carried == nil || !r.Carried.Verified {
					t.Errorf("answered %+v", r)
				}
				made.Add(1)
				s.remove(t, h, dir)
			}
		})
	}
	all.Wait()

	// Two of one source at the same moment, for certain.
	s := newScene(t, b)
	s.slowSetup(t)
	h1, h2 := hosts[0], hosts[1]
	first := make(chan string, 1)
	copying := make(chan struct{})
	go func() {
		argument := s.argument(map[string]any{"setup": map[string]any{"decision": "run", "hash": s.setupHash(t, h1)}})
		result, failed := h1.Run(t.Context(), &commands.Env{}, "sidefork.fork", argument, tells{copying})
		first <- fmt.Sprint(s.said(t, result, failed))
	}()
	<-copying
	argument, _ := json.Marshal(map[string]any{"operationId": uuid.NewString(), "workspace": s.parent, "name": "second", "launch": "none", "setup": map[string]any{"decision": "skip"}})
	if _, failed := h2.Run(t.Context(), &commands.Env{}, "sidefork.fork", argument, quiet{}); failed == nil || failed.Reason.Code != "forkInProgress" || failed.Effect != commands.Nothing {
		t.Errorf("a second fork of the same source: %+v", failed)
	}
	if err := os.WriteFile(filepath.Join(s.trees, "go"), nil, 0o644); err != nil {
		t.Error(err)
	}
	if got := <-first; got != "done" {
		t.Errorf("the first fork: %s", got)
	}

	var after map[int]taken
	for range 200 { // what a command has started ends a moment after its answer
		if after = b.sidecars(t); slices.Equal(open(before), open(after)) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	for pid, was := range before {
		is := after[pid]
		t.Logf("sidecar %d: %d files open, then %d; %d MB, then %d", pid, was.files, is.files, was.kilobytes/1024, is.kilobytes/1024)
		if is.files > was.files {
			t.Errorf("sidecar %d has %d files open, and had %d", pid, is.files, was.files)
		}
		if is.kilobytes > was.kilobytes+64*1024 {
			t.Errorf("sidecar %d takes %d MB, and took %d", pid, is.kilobytes/1024, was.kilobytes/1024)
		}
		for _, way := range is.listens {
			t.Errorf("sidecar %d listens: %s", pid, way)
		}
	}
	t.Logf("%d forks by %d clients over %d repositories in %s, %d refused as another one ran; slowest list of a hundred: %s idle, %s under load (of %d)",
		made.Load(), clients, repositories, time.Since(began).Round(time.Millisecond), refused.Load(), idle, slowest(loaded), len(loaded))
	if made.Load() < forks {
		t.Errorf("only %d forks were made", made.Load())
	}
}

func list(t *testing.T, h *remote.Host, workspace string) {
	t.Helper()
	argument, _ := json.Marshal(commands.SessionsParams{Workspace: workspace})
	if _, failed := h.Run(t.Context(), &commands.Env{}, "sidefork.sessions", argument, quiet{}); failed != nil {
		t.Errorf("%+v", failed)
	}
}

// remove removes a child, unless its repository is busy.
func (s *scene) remove(t *testing.T, h *remote.Host, child string) {
	t.Helper()
	argument, _ := json.Marshal(map[string]any{"workspace": child, "branch": true, "force": []string{"uncommitted"}})
	if _, failed := h.Run(t.Context(), &commands.Env{}, "sidefork.remove", argument, quiet{}); failed != nil && failed.Reason.Code != "forkInProgress" {
		t.Errorf("%+v", failed)
	}
}

func sample(n int, f func()) (took []time.Duration) {
	for range n {
		at := time.Now()
		f()
		took = append(took, time.Since(at))
	}
	return took
}

// slowest is the slowest of a hundred.
func slowest(took []time.Duration) time.Duration {
	if len(took) == 0 {
		return 0
	}
	took = slices.Sorted(slices.Values(took))
	return took[(len(took)-1)*99/100].Round(10 * time.Microsecond)
}

// slowSetup gives the parent a setup that waits for a file.
func (s *scene) slowSetup(t *testing.T) {
	t.Helper()
	s.as(t, s.parent, "sh", "-c", `mkdir -p ../trees && printf '{"setup": "while ! [ -e ../go ]; do sleep 0.02; done"}' >.sidefork.json`)
	s.before = take(t, s.parent)
}

func (s *scene) setupHash(t *testing.T, h *remote.Host) string {
	t.Helper()
	argument, _ := json.Marshal(commands.InspectParams{Workspace: s.parent})
	result, failed := h.Run(t.Context(), &commands.Env{}, "sidefork.inspect", argument, quiet{})
	if failed != nil {
		t.Errorf("%+v", failed)
		return ""
	}
	var in commands.Inspection
	decode(t, result, &in)
	if in.Setup == nil {
		t.Error("there is no setup")
		return ""
	}
	return in.Setup.Hash
}

// tells says when a fork runs its setup.
type tells struct{ setup chan struct{} }

func (p tells) Stage(_ string, s commands.Stage, _ int) {
	if s == commands.SettingUp {
		close(p.setup)
	}
}
func (tells) Report(int, string) {}

// taken is what a process has taken of the machine.
type taken struct {
	files, kilobytes int
	listens          []string
}

func open(all map[int]taken) (files []int) {
	for _, pid := range slices.Sorted(keys(all)) {
		files = append(files, all[pid].files)
	}
	return files
}

func keys(all map[int]taken) func(func(int) bool) {
	return func(yield func(int) bool) {
		for pid := range all {
			if !yield(pid) {
				return
			}
		}
	}
}

// sidecars are the sidecars that run there.
func (b *box) sidecars(t *testing.T) map[int]taken {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	listening := listeners()
	all := map[int]taken{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		exe, _ := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if exe != filepath.Join(b.home, ".local", "bin", "sidefork") || !strings.Contains(string(line), "\x00serve\x00") {
			continue
		}
		var it taken
		fds, err := os.ReadDir(filepath.Join("/proc", e.Name(), "fd"))
		if err != nil {
			continue // it has ended
		}
		for _, fd := range fds {
			to, err := os.Readlink(filepath.Join("/proc", e.Name(), "fd", fd.Name()))
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			it.files++
			if way, found := listening[to]; found {
				it.listens = append(it.listens, way)
			}
		}
		status, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "status"))
		if _, rest, found := strings.Cut(string(status), "VmRSS:"); found {
			it.kilobytes, _ = strconv.Atoi(strings.Fields(rest)[0])
		}
		all[pid] = it
	}
	return all
}

// listeners are the sockets of this machine that listen, by what a file that is one is called.
func listeners() map[string]string {
	all := map[string]string{}
	for _, kind := range []string{"tcp", "tcp6", "unix"} {
		text, _ := os.ReadFile("/proc/net/" + kind)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			switch {
			case kind == "unix" && len(f) > 6 && f[3] == "00010000":
				all["socket:["+f[6]+"]"] = strings.TrimSpace(line)
			case kind != "unix" && len(f) > 9 && f[3] == "0A":
				all["socket:["+f[9]+"]"] = strings.TrimSpace(line)
			}
		}
	}
	return all
}

// TestASidecarThatHasServedManyHasNoGoroutineMore than before: forks that end, fail and are cancelled, lists, and unknown things.
func TestASidecarThatHasServedManyHasNoGoroutineMore(t *testing.T) {
	b := theBox(t)
	if b.uid != 0 {
		t.Setenv("GIT_AUTHOR_NAME", "A") // the sidecar is in this process, and the repository is somebody else's
	}
	s := newScene(t, b)
	toServer, fromClient := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- sidecar.Serve(t.Context(), toServer, toClient, sidecar.Options{Version: "0.0.0-test"})
		toClient.Close()
	}()
	c, err := wire.Dial(t.Context(), fromServer, fromClient, wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	round := func(n int) {
		for i := range n {
			for _, text := range []string{
				`{"command":"sidefork.sessions","arguments":[{"workspace":"` + s.parent + `"}]}`,
				`{"command":"sidefork.inspect","arguments":[{"workspace":"` + s.parent + `"}]}`,
				`{"command":"sidefork.plan","arguments":[{"workspace":"` + s.parent + `","name":"a..b"}]}`,
				`{"command":"sidefork.nothing","arguments":[{}],"workDoneToken":"t` + strconv.Itoa(i) + `"}`,
				`{"command":"sidefork.outcome","arguments":[{"operationId":"` + uuid.NewString() + `","repository":"` + s.parent + `"}]}`,
			} {
				_, _ = c.Call(t.Context(), "workspace/executeCommand", json.RawMessage(text)) // refusals among them
			}
		}
	}
	round(2)
	before := runtime.NumGoroutine()
	round(20)
	after := runtime.NumGoroutine()
	for range 100 {
		if after <= before {
			break
		}
		time.Sleep(20 * time.Millisecond)
		after = runtime.NumGoroutine()
	}
	if after > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, and there were %d\n%s", after, before, stacks[:runtime.Stack(stacks, true)])
	}
	c.Close()
	if status := <-ended; status != 0 {
		t.Errorf("exit status %d", status)
	}
	toServer.Close()
}
