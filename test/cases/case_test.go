//go:build unix

package cases

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// user is who runs a case and the tool.
type user struct {
	name string
	uid  uint32 // 0: whoever runs the tests
}

// nobody owns nothing and may do nothing, whatever it is called on the machine.
const nobody = 65534

// run is one case, run by one user in a folder of its own.
type run struct {
	bench   *bench
	name    string
	as      user
	script  string
	vars    map[string]string
	work    string // folder of this run; parent, side (the child's surroundings), home, tmp are in it
	parent  string // what setup makes
	real    string // the worktree in it that is forked
	child   string
	answer  answer
	verdict verdict
}

// newRun reads a case's variables and makes its folder.
func (b *bench) newRun(t *testing.T, name string, as user) *run {
	t.Helper()
	r := &run{bench: b, name: name, as: as, vars: map[string]string{}}
	r.work = filepath.Join(b.dir, name[:3]+as.name[:1])
	for _, dir := range []string{"", "side", "home", "tmp"} {
		path := filepath.Join(r.work, dir)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if as.uid != 0 {
			if err := os.Chown(path, int(as.uid), int(as.uid)); err != nil {
				t.Fatal(err)
			}
		}
	}
	script, err := os.ReadFile(filepath.Join("bank", name+".sh"))
	if err != nil {
		t.Fatal(err)
	}
	r.script = string(script)
	vars, _, err := r.phase("vars")
	if err != nil {
		t.Fatalf("%s has no variables: %v", name, err)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(vars, "\x00"), "\x00") {
		key, value, _ := strings.Cut(line, "=")
		r.vars[key] = value
	}
	r.parent = filepath.Join(r.work, "parent")
	r.real = filepath.Join(r.parent, r.vars["SUB"])
	r.child = filepath.Join(r.work, "side", "child")
	if pad := r.vars["CHILD_PAD"]; pad != "" {
		var n int
		fmt.Sscan(pad, &n)
		r.child = filepath.Join(r.work, "side", strings.Repeat("c", n))
	}
	if inside := r.vars["CHILD_IN"]; inside != "" {
		r.child = filepath.Join(r.real, inside)
	}
	return r
}

// clean takes the run's folder away, also what is read-only or mounted there.
func (r *run) clean(t *testing.T) {
	t.Helper()
	_, _, _ = r.phase("cleanup", r.real, r.child)
	if *keep {
		t.Logf("kept: %s", r.work)
		return
	}
	_ = filepath.WalkDir(r.work, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(r.work); err != nil {
		t.Errorf("left on the disk: %v", err)
	}
}

// env is all that scripts and tool get of the environment.
func (r *run) env() []string {
	return []string{
		"PATH=" + filepath.Join(r.bench.dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(r.work, "home"),
		"TMPDIR=" + filepath.Join(r.work, "tmp"), "TERM=dumb", "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
	}
}

// phase runs one function of the case (lib.sh, run); nothing where the case does not define it.
func (r *run) phase(name string, args ...string) (stdout string, status int, err error) {
	optional := slices.Contains([]string{"env_for", "check", "cleanup"}, name)
	if optional && !strings.Contains(r.script, "\n"+name+"() ") {
		return "", 0, nil
	}
	cmd := []string{"bash", filepath.Join(r.bench.dir, "cases", "bank", r.name+".sh"), name}
	tool := r.bench.tool
	if r.bench.recipe { // cannot be called in the way of sidefork
		tool = ""
	}
	env := append(r.env(),
		"WORK="+r.work, "ANSWER="+filepath.Join(r.work, "answer"), "LEFT="+filepath.Join(r.work, "left"),
		"TOOL="+tool, "COMPARE="+r.bench.compare)
	out := r.exec(2*time.Minute, r.work, env, append(cmd, args...)...)
	if out.status != 0 {
		err = fmt.Errorf("%s: exit status %d: %s", name, out.status, oneLine(out.stderr, 200))
	}
	return string(out.stdout), out.status, err
}

// output is what a program has said.
type output struct {
	stdout, stderr []byte
	status         int // 124 where it did not end in time
}

// exec runs a program as the run's user, in a process group of its own that ends with it.
func (r *run) exec(limit time.Duration, dir string, env []string, argv ...string) output {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if r.as.uid != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: r.as.uid, Gid: r.as.uid}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	out := output{stdout: stdout.Bytes(), stderr: stderr.Bytes()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		out.status = 124
	case errors.As(err, &exit):
		out.status = exit.ExitCode()
	case err != nil:
		out.status, out.stderr = 127, []byte(err.Error())
	}
	return out
}

// prepare makes parent and target. It gives the reason where the case cannot be run here.
func (r *run) prepare(t *testing.T) (notHere string) {
	t.Helper()
	_, status, err := r.phase("prepare", r.parent, r.real, r.child)
	switch {
	case err == nil:
		return ""
	case status == 9 && r.vars["NEEDS"] == "mount":
		return "a file system cannot be mounted here: " + err.Error()
	default:
		t.Fatalf("the case is broken: %v", err)
		return ""
	}
}

// missing tells why a case cannot be run here by this user; empty where it can.
func (b *bench) missing(vars map[string]string, as user) string {
	if need := vars["NEEDS"]; need != "" && (os.Getuid() != 0 || as.uid != 0) {
		return "needs root (" + need + ")"
	}
	if want := vars["MIN_GIT"]; want != "" && !atLeast(b.git, want) {
		return "needs git " + want + ", there is " + b.git
	}
	return ""
}

func atLeast(have, want string) bool {
	var a, b [3]int
	fmt.Sscanf(have, "%d.%d.%d", &a[0], &a[1], &a[2])
	fmt.Sscanf(want, "%d.%d.%d", &b[0], &b[1], &b[2])
	return slices.Compare(a[:], b[:]) >= 0
}

func oneLine(text []byte, limit int) string {
	line := strings.Join(strings.Fields(string(text)), " ")
	if len(line) > limit {
		line = line[len(line)-limit:]
	}
	return line
}
