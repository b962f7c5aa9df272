//go:build unix

package crash_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/crash"
	"github.com/sidefork/sidefork/test/snapshot"
)

var rounds = flag.Int("rounds", 6, "kills at random moments")

// scene is a parent with changes of every kind, as it was before anything ran.
type scene struct {
	program, top, parent, child string
	env                         []string
	before                      snapshot.Snapshot
}

const branch = "feat/crash"

// done is reached by no stage, only by the answer.
const done = "done"

// build gives the program, built once for all tests.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "sidefork")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/sidefork").CombinedOutput(); err != nil {
		t.Fatalf("sidefork cannot be built: %v\n%s", err, out)
	}
	return program
}

func newScene(t *testing.T, program string) *scene {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{program: program, top: top, parent: filepath.Join(top, "parent"), child: filepath.Join(top, "side", "child")}
	s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(top, "home"), "TMPDIR=" + filepath.Join(top, "tmp"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
	for _, dir := range []string{"home", "tmp", "side"} {
		if err := os.Mkdir(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("../cases/bank/240-every-letter-at-once.sh")
	if err != nil {
		t.Fatal(err)
	}
	more := `for i in {1..40}; do mkdir -p many/$i; for j in {1..10}; do printf "%s\n" $i.$j >many/$i/$j; done; done`
	cmd := exec.Command("bash", "-euc", `bash "$0" setup "$1"; cd "$1"; `+more, script, s.parent)
	cmd.Env = s.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.before = s.take(t)
	return s
}

func (s *scene) take(t *testing.T) snapshot.Snapshot {
	t.Helper()
	taken, err := snapshot.Take(s.parent)
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

func (s *scene) start(t *testing.T) *crash.Sidecar {
	t.Helper()
	sidecar, err := crash.Start(s.program, s.env, s.parent)
	if err != nil {
		t.Fatal(err)
	}
	return sidecar
}

// gone tells what is left of a fork that must not have been.
func (s *scene) gone(t *testing.T) (left []string) {
	t.Helper()
	left = snapshot.Diff(s.before, s.take(t))
	entries, err := os.ReadDir(filepath.Dir(s.child))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		left = append(left, "left behind: "+entry.Name())
	}
	return left
}

// whole tells what is wrong with a fork that stands.
func (s *scene) whole(t *testing.T) (wrong []string) {
	t.Helper()
	for _, difference := range compare.Trees(s.parent, s.child, compare.Options{Index: true, FolderModes: true}) {
		wrong = append(wrong, difference.String())
	}
	return append(wrong, snapshot.Diff(s.before, s.take(t), snapshot.Branch(branch), snapshot.Worktrees())...)
}

// recovered starts a sidecar anew, waits for its first answer about the repository, and judges.
func (s *scene) recovered(t *testing.T) {
	t.Helper()
	next := s.start(t)
	answer, err := next.Call("workspace/executeCommand", map[string]any{"command": "sidefork.workspaces", "arguments": []any{map[string]any{}}})
	if err != nil {
		t.Fatal(err)
	}
	if answer.Error != nil {
		t.Errorf("the next sidecar does not answer: %s", answer.Error.Message)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
	if left := s.gone(t); len(left) > 0 {
		if wrong := s.whole(t); len(wrong) > 0 {
			t.Errorf("the child is neither gone:\n%s\nnor whole:\n%s", strings.Join(left, "\n"), strings.Join(wrong, "\n"))
		}
	}
	// what was taken back can be made again under the same name
	again := s.start(t)
	defer again.Close()
	if _, err := os.Lstat(s.child); err == nil {
		return
	}
	id, err := again.Fork(operation(2), s.parent, branch, s.child)
	if err != nil {
		t.Fatal(err)
	}
	answer, err = again.Await(func(m crash.Message) bool { return m.Answers(id) })
	if err != nil || answer.Error != nil {
		t.Fatalf("a second fork fails: %v %+v", err, answer.Error)
	}
	if wrong := s.whole(t); len(wrong) > 0 {
		t.Errorf("a second fork is not whole: %v", wrong)
	}
}

func operation(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// until runs a fork to a stage. A fork without session and setup has no such stages of its own: then its answer is given.
func until(t *testing.T, sidecar *crash.Sidecar, s *scene, stage string) (id int, m crash.Message) {
	t.Helper()
	id, err := sidecar.Fork(operation(1), s.parent, branch, s.child)
	if err != nil {
		t.Fatal(err)
	}
	m, err = sidecar.Await(func(m crash.Message) bool { return m.Stage() == stage || m.Answers(id) })
	if err != nil {
		t.Fatal(err)
	}
	if m.Error != nil {
		t.Fatalf("the fork failed before %s: %s %s", stage, m.Error.Message, m.Error.Data)
	}
	if m.Stage() == "" && !slices.Contains([]string{"setup", "starting", done}, stage) {
		t.Fatalf("stage %s was not announced", stage)
	}
	return id, m
}

func TestKillAtEachStageLeavesTheChildWholeOrGone(t *testing.T) {
	program := build(t)
	for _, stage := range crash.Stages {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, program)
			sidecar := s.start(t)
			until(t, sidecar, s, stage)
			if err := sidecar.Kill(); err != nil {
				t.Fatal(err)
			}
			s.recovered(t)
		})
	}
}

func TestKillAtAnyMomentLeavesTheChildWholeOrGone(t *testing.T) {
	program := build(t)
	s := newScene(t, program)
	began := time.Now()
	sidecar := s.start(t)
	if _, m := until(t, sidecar, s, done); m.Result == nil {
		t.Fatal("no result")
	}
	whole := time.Since(began)
	if err := sidecar.Close(); err != nil {
		t.Error(err)
	}
	for round := range *rounds {
		after := time.Duration(rand.Int64N(int64(whole)))
		t.Run(fmt.Sprintf("%d", round), func(t *testing.T) {
			t.Parallel()
			t.Logf("killed after %v of about %v", after, whole)
			s := newScene(t, program)
			sidecar := s.start(t)
			id, err := sidecar.Fork(operation(1), s.parent, branch, s.child)
			if err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(after, func() { _ = sidecar.Kill() }) // the moment is what is tested: nothing to wait for
			answer, err := sidecar.Await(func(m crash.Message) bool { return m.Answers(id) })
			if err == nil && answer.Error != nil {
				t.Errorf("the fork failed: %s", answer.Error.Message)
			}
			timer.Stop()
			_ = sidecar.Kill()
			s.recovered(t)
		})
	}
}

func TestCancelAtEachStageTakesEverythingBack(t *testing.T) {
	program := build(t)
	for _, stage := range crash.Stages {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, program)
			sidecar := s.start(t)
			defer sidecar.Close()
			id, answer := until(t, sidecar, s, stage)
			if err := sidecar.Cancel(id); err != nil {
				t.Fatal(err)
			}
			var err error
			if !answer.Answers(id) {
				if answer, err = sidecar.Await(func(m crash.Message) bool { return m.Answers(id) }); err != nil {
					t.Fatal(err)
				}
			}
			var result struct {
				Status   string
				Warnings []struct{ Code string }
			}
			if answer.Error != nil {
				t.Fatalf("a cancelled fork is answered with an error: %s %s", answer.Error.Message, answer.Error.Data)
			}
			if err := json.Unmarshal(answer.Result, &result); err != nil {
				t.Fatal(err)
			}
			switch result.Status {
			case "cancelled":
				if left := s.gone(t); len(left) > 0 {
					t.Errorf("cancelled, but: %s", strings.Join(left, "\n"))
				}
			case "completed": // it was complete when the word came
				if wrong := s.whole(t); len(wrong) > 0 {
					t.Errorf("completed, but: %s", strings.Join(wrong, "\n"))
				}
				if stage != "setup" && stage != "starting" {
					t.Errorf("cancelled in %s, and completed: %s", stage, answer.Result)
				}
			default:
				t.Errorf("status %q", result.Status)
			}
		})
	}
}
