package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// fake writes a process into a /proc of our own.
func fake(t *testing.T, proc string, pid, parent int, name, state string, foreground bool, start int) {
	t.Helper()
	group, terminal := pid, 1
	if foreground {
		terminal = pid
	}
	folder := filepath.Join(proc, fmt.Sprint(pid))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	stat := fmt.Sprintf("%d (%s) %s %d %d 1 34816 %d 4194304 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0\n", pid, name, state, parent, group, terminal, start)
	if err := os.WriteFile(filepath.Join(folder, "stat"), []byte(stat), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestBelowGivesTheNearestFirstAndNothingElse(t *testing.T) {
	proc := t.TempDir()
	if err := os.WriteFile(filepath.Join(proc, "stat"), []byte("cpu 1 2\nbtime 1000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fake(t, proc, 10, 1, "sh", "S", false, 100)
	fake(t, proc, 11, 10, "claude) S 1 (", "S", true, 250)
	fake(t, proc, 12, 11, "node", "S", true, 300)
	fake(t, proc, 13, 10, "later", "T", false, 400)
	fake(t, proc, 14, 10, "dead", "Z", false, 400)
	fake(t, proc, 20, 1, "another", "S", false, 100)
	got, err := BelowIn(proc, 10)
	if err != nil {
		t.Fatal(err)
	}
	var line []string
	for _, p := range got {
		line = append(line, fmt.Sprintf("%d %d %s %s %v %d", p.PID, p.Depth, p.Name, p.Start, p.Foreground, p.Started.Unix()))
	}
	want := []string{"10 0 sh 100 false 1001", "13 1 later 400 false 1004", "11 1 claude) S 1 ( 250 true 1002", "12 2 node 300 true 1003"}
	if !slices.Equal(line, want) {
		t.Errorf("got  %q\nwant %q", line, want)
	}
	if got, err = BelowIn(proc, 99); err != nil || len(got) != 0 {
		t.Errorf("of no process: %v, %v", got, err)
	}
	if _, err = BelowIn(filepath.Join(proc, "none"), 1); err == nil {
		t.Error("no /proc is no error")
	}
}

func TestARealChildIsThereWithItsFolderFilesAndArguments(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(folder, "open")
	if err := os.WriteFile(open, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `exec 3<"$1"; echo ready; read -r end`, "an argument", open)
	cmd.Dir = folder
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Error(err)
	}
	all, err := Below(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(p Process) bool { return p.PID == cmd.Process.Pid })
	if i < 0 {
		t.Fatalf("not among %v", all)
	}
	p := all[i]
	if p.Parent != os.Getpid() || p.Folder() != folder || !slices.Contains(p.Open(), open) || !slices.Contains(p.Arguments(), "an argument") {
		t.Errorf("got %+v in %s with %q, %q", p, p.Folder(), p.Open(), p.Arguments())
	}
	if since := time.Since(p.Started); since < -2*time.Second || since > time.Hour {
		t.Errorf("it started %s ago", since)
	}
	stdin.Close()
	_ = cmd.Wait() // read at the end of its input fails
	if all, err = Below(cmd.Process.Pid); err != nil || len(all) != 0 {
		t.Errorf("after its end: %v, %v", all, err)
	}
}

func TestAProcessWasStartedWhenItWas(t *testing.T) {
	before := time.Now()
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	after := time.Now()
	const margin = 50 * time.Millisecond
	if got := Started(cmd.Process.Pid); got.Before(before.Add(-margin)) || got.After(after.Add(margin)) {
		t.Errorf("started at %s, between %s and %s", got, before, after)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := Started(cmd.Process.Pid); !got.IsZero() {
		t.Errorf("one that has ended was started at %s", got)
	}
}
