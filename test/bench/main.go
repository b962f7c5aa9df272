// Command bench measures sidefork against its floor, in one run, and prints a table of ratios: what git itself, an empty
// program or reading the bytes takes on the same machine at the same time. `make bench` runs it.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 9, "interleaved rounds per figure")
	only := flag.String("only", "", "run only the figures whose name holds this")
	where := flag.String("in", "", "folder for the sample repositories (default: memory, else the temp folder)")
	document := flag.String("write", "", "document whose table a complete run writes anew")
	flag.Parse()
	if err := measure(*rounds, *where, *only, *document); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measure runs what is asked for, and puts the table into the document, if there is one and the run was whole.
func measure(rounds int, where, only, document string) error {
	if document == "" || only != "" {
		return run(rounds, where, only)
	}
	stdout := os.Stdout
	from, to, err := os.Pipe()
	if err != nil {
		return err
	}
	os.Stdout = to
	var table bytes.Buffer
	copied := make(chan error, 1)
	go func() { _, err := io.Copy(io.MultiWriter(stdout, &table), from); copied <- err }()
	err = run(rounds, where, only)
	os.Stdout = stdout
	if err := errors.Join(err, to.Close(), <-copied); err != nil {
		return err
	}
	return write(document, table.String())
}

// write puts a table between the two marks of a document.
func write(document, table string) error {
	const begin, end = "<!-- made by make bench -->\n", "<!-- end -->\n"
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s has no place for the table", document)
	}
	return os.WriteFile(document, []byte(before+begin+table+end+after), 0o644)
}

// bench is where everything of one run lies.
type bench struct {
	dir, sidefork, empty string
	rounds               int
}

func run(rounds int, where, only string) error {
	if where == "" {
		if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
			where = "/dev/shm"
		}
	}
	dir, err := os.MkdirTemp(where, "sidefork-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := bench{dir: dir, rounds: rounds, sidefork: filepath.Join(dir, "sidefork"), empty: filepath.Join(dir, "empty")}
	if err := b.build(); err != nil {
		return err
	}
	for name, value := range map[string]string{
		"HOME": dir, "XDG_STATE_HOME": filepath.Join(dir, "state"), "XDG_CONFIG_HOME": filepath.Join(dir, "config"), "GIT_CONFIG_NOSYSTEM": "1", "CLAUDE_CONFIG_DIR": "", "CODEX_HOME": "",
	} {
		os.Setenv(name, value)
	}
	fmt.Printf("%s, %s, %d CPUs, in %s, medians of %d interleaved rounds\n\n", runtime.Version(), gitVersion(), runtime.NumCPU(), where, rounds)
	fmt.Printf("| what | sidefork | floor | ratio | goal |\n|---|---|---|---|---|\n")
	for _, figure := range []struct {
		name string
		run  func() error
	}{
		{"start", b.start},
		{"roundtrip", b.roundTrip},
		{"inspect", b.inspect},
		{"fork-clean", b.forkClean},
		{"fork-dirty", b.forkDirty},
		{"fork-large", b.forkLarge},
		{"fork-stash", b.forkStash},
		{"fork-one-of-many", b.forkOneOfMany},
		{"fork-many-changed", b.forkManyChanged},
		{"fork-copies", b.forkCopies},
		{"memory", b.memory},
		{"cancel", b.cancel},
		{"sessions", b.sessions},
	} {
		if !strings.Contains(figure.name, only) {
			continue
		}
		if err := figure.run(); err != nil {
			return err
		}
	}
	return nil
}

func (b bench) build() error {
	source := filepath.Join(b.dir, "empty.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return err
	}
	for _, program := range [][2]string{{b.sidefork, "./cmd/sidefork"}, {b.empty, source}} { // both as `make build` does
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -X main.version=bench", "-o", program[0], program[1])
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
		}
	}
	return nil
}

func row(what string, ours, floor time.Duration, floorName, goal string) {
	fmt.Printf("| %s | %s | %s (%s) | %.2f | %s |\n", what, short(ours), short(floor), floorName, float64(ours)/float64(floor), goal)
}

func short(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', 2, 64) + " ms"
}

// interleave runs the functions in turn, rounds times, and gives each one's median.
func interleave(rounds int, functions ...func() (time.Duration, error)) ([]time.Duration, error) {
	times := make([][]time.Duration, len(functions))
	for round := range rounds + 1 {
		for i, f := range functions {
			d, err := f()
			if err != nil {
				return nil, err
			}
			if round > 0 { // the first warms the caches
				times[i] = append(times[i], d)
			}
		}
	}
	medians := make([]time.Duration, len(functions))
	for i, all := range times {
		slices.Sort(all)
		medians[i] = all[len(all)/2]
	}
	return medians, nil
}

func timed(argv ...string) (time.Duration, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%v: %w\n%s", argv, err, out)
	}
	return time.Since(begin), nil
}

// start measures from the process's start to the answer of initialize, and the idle memory after it.
func (b bench) start() error {
	memory := 0
	times, err := interleave(b.rounds*3, func() (time.Duration, error) {
		begin := time.Now()
		s, err := b.serve()
		if err != nil {
			return 0, err
		}
		d := time.Since(begin)
		memory = memoryKiB(s.cmd.Process.Pid, "VmRSS:")
		return d, s.stop()
	}, func() (time.Duration, error) { return timed(b.empty) })
	if err != nil {
		return err
	}
	row("start to initialize answered", times[0], times[1], "an empty Go program", "≤ 15 ms")
	fmt.Printf("| idle memory | %.1f MiB | | | ≤ 20 MB |\n", float64(memory)/1024)
	return nil
}

// roundTrip measures a trivial command (an argument that is refused at once) on a running server.
func (b bench) roundTrip() error {
	s, err := b.serve()
	if err != nil {
		return err
	}
	defer s.stop()
	var all []time.Duration
	for i := range 3000 {
		begin := time.Now()
		if _, err := s.call("workspace/executeCommand", map[string]any{"command": "sidefork.workspaces", "arguments": []any{map[string]any{"folders": []string{}}}}); err != nil {
			return err
		}
		if i > 500 {
			all = append(all, time.Since(begin))
		}
	}
	slices.Sort(all)
	fmt.Printf("| trivial command, p50 / p99 | %s / %s | | | p99 ≤ 0.5 ms |\n", short(all[len(all)/2]), short(all[len(all)*99/100]))
	return nil
}

func (b bench) inspect() error {
	repo, err := b.repository("inspect", 50_000)
	if err != nil {
		return err
	}
	if err := dirty(repo, 50_000, 500, 500); err != nil {
		return err
	}
	s, err := b.serve()
	if err != nil {
		return err
	}
	defer s.stop()
	times, err := interleave(b.rounds, func() (time.Duration, error) {
		begin := time.Now()
		_, err := s.call("workspace/executeCommand", map[string]any{"command": "sidefork.inspect", "arguments": []any{map[string]any{"workspace": repo}}})
		return time.Since(begin), err
	}, func() (time.Duration, error) { return timed("git", "-C", repo, "status", "--porcelain") }, func() (time.Duration, error) {
		begin := time.Now() // a dialog opens; what is not counted by then follows
		_, err := s.call("command/resolve", map[string]any{"command": "sidefork.fork", "arguments": []any{map[string]any{"workspace": repo}}})
		return time.Since(begin), err
	})
	if err != nil {
		return err
	}
	row("inspect, 50,000 files, 500 changed, 500 new", times[0], times[1], "git status", "≤ 1.5")
	row("the dialog of the same, as it opens", times[2], times[1], "git status", "≤ 300 ms")
	return os.RemoveAll(repo)
}

func (b bench) forkClean() error {
	return b.fork("fork, clean, 5,000 files", 5_000, 0, 0, "≤ 1.3")
}

func (b bench) forkDirty() error {
	return b.fork("fork, 5,000 files, 10 changed, 10 new", 5_000, 10, 10, "≤ 1.3")
}

func (b bench) forkLarge() error {
	return b.fork("fork, 50,000 files, 500 changed, 500 new", 50_000, 500, 500, "≤ 1.3")
}

func (b bench) forkOneOfMany() error {
	return b.fork("fork, 100,000 files, 1 changed", 100_000, 1, 0, "≤ 1.3")
}

func (b bench) forkManyChanged() error {
	return b.fork("fork, 20,000 files, 10,000 changed", 20_000, 10_000, 0, "")
}

// forkCopies measures eight children in one call against one.
func (b bench) forkCopies() error {
	const n = 8
	repo, err := b.repository("copies", 5_000)
	if err != nil {
		return err
	}
	if err := dirty(repo, 5_000, 10, 10); err != nil {
		return err
	}
	s, err := b.serve()
	if err != nil {
		return err
	}
	defer s.stop()
	fork := func(copies int) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			begin := time.Now()
			_, err := s.call("workspace/executeCommand", map[string]any{"command": "sidefork.fork", "workDoneToken": "fork", "arguments": []any{map[string]any{
				"workspace": repo, "name": "bench-child", "dir": filepath.Join(b.dir, "child"), "launch": "none", "copies": copies,
			}}})
			d := time.Since(begin)
			if err != nil {
				return d, err
			}
			if copies == 1 {
				return d, removeChild(repo, filepath.Join(b.dir, "child"), "bench-child")
			}
			for i := range copies {
				number := "-" + strconv.Itoa(i+1)
				err = errors.Join(err, removeChild(repo, filepath.Join(b.dir, "child")+number, "bench-child"+number))
			}
			return d, err
		}
	}
	add := func() (all time.Duration, err error) { // what git alone takes for as many
		for i := range n {
			number := "-" + strconv.Itoa(i+1)
			d, err := timed("git", "-C", repo, "worktree", "add", "-q", "-b", "bench-child"+number, filepath.Join(b.dir, "child")+number, "HEAD")
			if err != nil {
				return 0, err
			}
			all += d
		}
		for i := range n {
			number := "-" + strconv.Itoa(i+1)
			err = errors.Join(err, removeChild(repo, filepath.Join(b.dir, "child")+number, "bench-child"+number))
		}
		return all, err
	}
	times, err := interleave(b.rounds, fork(n), fork(1), add)
	if err != nil {
		return err
	}
	row("8 copies at once, 5,000 files, 10 changed, 10 new", times[0], times[1], "one", "≤ 3")
	row("the same", times[0], times[2], "8 × git worktree add", "")
	return os.RemoveAll(repo)
}

// cancel measures from a cancel in the middle of a copy of 10 GiB to the answer, by which all is taken back.
func (b bench) cancel() error {
	repo, err := b.repository("cancel", 100)
	if err != nil {
		return err
	}
	huge := filepath.Join(repo, "huge.bin")
	if err := errors.Join(os.WriteFile(huge, nil, 0o644), os.Truncate(huge, 10<<30)); err != nil {
		return err
	}
	s, err := b.serve(map[string]any{"carry": map[string]any{"maxBytes": 20 << 30}})
	if err != nil {
		return err
	}
	defer s.stop()
	var all []time.Duration
	for range b.rounds {
		id, err := s.begin("workspace/executeCommand", map[string]any{"command": "sidefork.fork", "workDoneToken": "fork", "arguments": []any{map[string]any{
			"workspace": repo, "name": "bench-child", "dir": filepath.Join(b.dir, "child"), "launch": "none",
		}}})
		if err != nil {
			return err
		}
		var begin time.Time
		_, err = s.answer(id, func(method string, params json.RawMessage) error {
			if method != "$/progress" || !bytes.Contains(params, []byte(" / 10")) || !begin.IsZero() {
				return nil
			}
			begin = time.Now()
			return s.send(map[string]any{"method": "$/cancelRequest", "params": map[string]any{"id": id}})
		})
		if err != nil {
			return err
		}
		all = append(all, time.Since(begin))
	}
	slices.Sort(all)
	fmt.Printf("| cancel in a copy of 10 GiB, median / longest | %s / %s | | | ≤ 100 ms |\n", short(all[len(all)/2]), short(all[len(all)-1]))
	return os.RemoveAll(repo)
}

// fork measures sidefork.fork against plain `git worktree add`.
func (b bench) fork(what string, files, changed, created int, goal string) error {
	return b.forkAgainst("git worktree add", func(repo, child string) []string {
		return []string{"git", "-C", repo, "worktree", "add", "-q", "-b", "bench-child", child, "HEAD"}
	}, what, files, changed, created, goal)
}

// forkStash measures forkLarge's fork against what a script would do: worktree, stash, untracked files, no proof.
func (b bench) forkStash() error {
	const script = `set -e
cd "$2"
git worktree add -q -b bench-child "$1" HEAD
git -C "$1" stash apply -q --index "$(git stash create)"
git ls-files -z --others --exclude-standard | xargs -0 cp --parents -t "$1"`
	return b.forkAgainst("worktree add, stash, cp", func(repo, child string) []string {
		return []string{"sh", "-c", script, "sh", child, repo}
	}, "the same", 50_000, 500, 500, "≤ 0.7")
}

// forkAgainst measures sidefork.fork on a running server against a command; the children are removed between.
func (b bench) forkAgainst(floor string, argv func(repo, child string) []string, what string, files, changed, created int, goal string) error {
	repo, err := b.repository("fork", files)
	if err != nil {
		return err
	}
	if err := dirty(repo, files, changed, created); err != nil {
		return err
	}
	s, err := b.serve()
	if err != nil {
		return err
	}
	defer s.stop()
	child := filepath.Join(b.dir, "child")
	times, err := interleave(b.rounds, func() (time.Duration, error) {
		begin := time.Now()
		_, err := s.call("workspace/executeCommand", map[string]any{"command": "sidefork.fork", "workDoneToken": "fork", "arguments": []any{map[string]any{
			"workspace": repo, "name": "bench-child", "dir": child, "launch": "none",
		}}})
		d := time.Since(begin)
		if err != nil {
			return d, err
		}
		return d, removeChild(repo, child, "bench-child")
	}, func() (time.Duration, error) {
		d, err := timed(argv(repo, child)...)
		if err != nil {
			return d, err
		}
		return d, removeChild(repo, child, "bench-child")
	})
	if err != nil {
		return err
	}
	row(what, times[0], times[1], floor, goal)
	return os.RemoveAll(repo)
}

// memory measures the most memory that a sidecar takes for a fork with 10,000 changed and new files of 10 GiB together. It
// is on disk: so much may not fit beside itself in memory. The parent's files have no blocks; their copies may.
func (b bench) memory() error {
	dir, err := os.MkdirTemp("", "sidefork-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const n, size = 10_000, 1 << 20
	b.dir = dir
	repo, err := b.repository("memory", n)
	if err != nil {
		return err
	}
	for i := range n / 2 {
		changed, created := filepath.Join(repo, file(i)), filepath.Join(repo, filepath.Dir(file(i)), fmt.Sprintf("new%05d", i))
		if err := errors.Join(os.Truncate(changed, size), os.WriteFile(created, nil, 0o644), os.Truncate(created, size)); err != nil {
			return err
		}
	}
	s, err := b.serve(map[string]any{"carry": map[string]any{"maxBytes": 20 << 30}})
	if err != nil {
		return err
	}
	defer s.stop()
	if _, err = s.call("workspace/executeCommand", map[string]any{"command": "sidefork.fork", "workDoneToken": "fork", "arguments": []any{map[string]any{
		"workspace": repo, "name": "bench-child", "dir": filepath.Join(dir, "child"), "launch": "none",
	}}}); err != nil {
		return err
	}
	fmt.Printf("| memory for a fork with 10,000 files and 10 GiB | %.1f MiB | | | ≤ 64 MB |\n", float64(memoryKiB(s.cmd.Process.Pid, "VmHWM:"))/1024)
	return nil
}

func removeChild(repo, child, branch string) error {
	for _, argv := range [][]string{{"worktree", "remove", "--force", child}, {"branch", "-q", "-D", branch}} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, argv...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", argv, err, out)
		}
	}
	return nil
}

// repository makes one with n committed files of about 400 bytes in folders of a hundred.
func (b bench) repository(name string, n int) (string, error) {
	repo := filepath.Join(b.dir, name)
	if _, err := timed("git", "init", "-q", "-b", "main", repo); err != nil {
		return "", err
	}
	var in strings.Builder
	in.WriteString("commit refs/heads/main\ncommitter T <t@example.invalid> 1700000000 +0000\ndata 4\nbase\n")
	for i := range n {
		text := strings.Repeat(fmt.Sprintf("line of file %d\n", i), 20)
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", file(i), len(text), text)
	}
	load := exec.Command("git", "-C", repo, "fast-import", "--quiet")
	load.Stdin = strings.NewReader(in.String())
	if out, err := load.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fast-import: %w\n%s", err, out)
	}
	for _, argv := range [][]string{{"reset", "-q", "--hard"}, {"config", "user.name", "T"}, {"config", "user.email", "t@example.invalid"}} {
		if _, err := timed(append([]string{"git", "-C", repo}, argv...)...); err != nil {
			return "", err
		}
	}
	// git trusts an index only for files older than it: age the files, so that both sides start from a settled one.
	old := time.Now().Add(-time.Hour)
	for i := range n {
		if err := os.Chtimes(filepath.Join(repo, file(i)), old, old); err != nil {
			return "", err
		}
	}
	_, err := timed("git", "-C", repo, "update-index", "-q", "--refresh")
	return repo, err
}

func file(i int) string { return fmt.Sprintf("d%03d/e%02d/file%05d.txt", i/1000, i/100%10, i) }

// dirty changes some of the n files of a repository, spread over all of it, and creates new ones. No n is a multiple of 7.
func dirty(repo string, n, changed, created int) error {
	for i := range changed {
		if err := os.WriteFile(filepath.Join(repo, file(i*7%n)), []byte(strings.Repeat("changed\n", 2500)), 0o644); err != nil {
			return err
		}
	}
	for i := range created {
		if err := os.WriteFile(filepath.Join(repo, fmt.Sprintf("d000/new%05d.txt", i)), []byte(strings.Repeat("created\n", 2500)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// server is a running `sidefork serve` that answers one call at a time.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func (b bench) serve(settings ...map[string]any) (*server, error) {
	s := &server{cmd: exec.Command(b.sidefork, "serve")}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	params := map[string]any{"processId": os.Getpid(), "capabilities": map[string]any{"window": map[string]any{"workDoneProgress": true}}}
	for _, options := range settings {
		params["initializationOptions"] = options
	}
	_, err = s.call("initialize", params)
	return s, err
}

func (s *server) send(message map[string]any) error {
	message["jsonrpc"] = "2.0"
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// call sends a request and reads until its answer.
func (s *server) call(method string, params any) (json.RawMessage, error) {
	id, err := s.begin(method, params)
	if err != nil {
		return nil, err
	}
	return s.answer(id, nil)
}

func (s *server) begin(method string, params any) (id int, err error) {
	s.id++
	return s.id, s.send(map[string]any{"id": s.id, "method": method, "params": params})
}

// answer reads until the answer to a request; each notification on the way is told.
func (s *server) answer(id int, told func(method string, params json.RawMessage) error) (json.RawMessage, error) {
	for {
		m, err := s.read()
		if err != nil {
			return nil, err
		}
		if m.ID == nil && told != nil {
			if err := told(m.Method, m.Params); err != nil {
				return nil, err
			}
		}
		if m.ID == nil || m.Method != "" || *m.ID != id {
			continue
		}
		if len(m.Error) > 0 {
			return nil, fmt.Errorf("request %d: %s", id, m.Error)
		}
		return m.Result, nil
	}
}

// await reads until a notification.
func (s *server) await(method string) error {
	for {
		m, err := s.read()
		if err != nil || m.ID == nil && m.Method == method {
			return err
		}
	}
}

type message struct {
	ID     *int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

func (s *server) read() (m message, err error) {
	length := 0
	for {
		line, err := s.out.ReadString('\n')
		if err != nil {
			return m, err
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		if _, value, ok := strings.Cut(line, ":"); ok && strings.HasPrefix(strings.ToLower(line), "content-length") {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(s.out, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

func (s *server) stop() error {
	if _, err := s.call("shutdown", nil); err != nil {
		return err
	}
	if err := s.send(map[string]any{"method": "exit"}); err != nil {
		return err
	}
	return s.cmd.Wait()
}

// memoryKiB is what the system says of a process's memory: VmRSS now, VmHWM at the most so far.
func memoryKiB(pid int, what string) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == what {
			n, _ := strconv.Atoi(f[1])
			return n
		}
	}
	return 0
}

func gitVersion() string {
	out, _ := exec.Command("git", "version").Output()
	return strings.TrimSpace(string(out))
}
