//go:build unix

// Package crash stops a fork at every stage, by every means by which one can be stopped, and holds sidefork to one
// sentence: the parent is unchanged, and the child is whole or gone.
package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/cmd/sidefork/cli"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/editor"
	"github.com/sidefork/sidefork/test/snapshot"
)

var kills = flag.Int("kills", 12, "how many SIGKILLs each stage gets; `make test-long` gives more")

// asSidecar makes this test binary the sidecar: what is killed must be a process of its own.
const asSidecar = "SIDEFORK_TEST_AS_SIDECAR"

func TestMain(m *testing.M) {
	if os.Getenv(asSidecar) != "" {
		os.Args = []string{"sidefork", "serve"}
		os.Exit(cli.Main("0.0.0-test"))
	}
	home, err := os.MkdirTemp("", "sidefork-crash-")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "CLAUDE_CONFIG_DIR": "", "CODEX_HOME": "",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull, "LC_ALL": "C",
	} {
		os.Setenv(name, value)
	}
	status := m.Run()
	os.RemoveAll(home)
	os.Exit(status)
}

var stages = []commands.Stage{commands.Preparing, commands.Creating, commands.Copying, commands.SettingUp, commands.Starting}

// scene is a parent with work of every kind in it, as it was before anything ran.
type scene struct {
	parent, trees, child, branch string
	before                       snapshot.Snapshot
}

func newScene(t *testing.T) scene {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := scene{parent: filepath.Join(root, "app"), trees: filepath.Join(root, "trees"), branch: "feature/try"}
	s.child = filepath.Join(s.trees, "deep", "child")
	made, err := scenery()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-a", made, s.parent).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_ = exec.Command("git", "-C", s.parent, "update-index", "-q", "--refresh").Run() // it fails where something is modified
	s.before = take(t, s.parent)
	return s
}

// scenery makes the repository that each scene is a copy of.
var scenery = sync.OnceValues(func() (string, error) {
	script, err := filepath.Abs("../cases/bank/240-every-letter-at-once.sh")
	if err != nil {
		return "", err
	}
	made := filepath.Join(os.Getenv("HOME"), "scenery", "app")
	// Enough files for each stage to last a moment.
	const more = `bash "$0" setup "$1"; cd "$1"; for i in {1..20}; do mkdir -p many/$i; for j in {1..5}; do printf "%s\n" $i.$j >many/$i/$j; done; done`
	if out, err := exec.Command("bash", "-euc", more, script, made).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return made, nil
})

func (s scene) argument() map[string]any {
	return map[string]any{
		"operationId": uuid.NewString(), "workspace": s.parent, "name": s.branch, "dir": s.child, "launch": "none",
	}
}

// gone is the sentence for a fork that did not happen: nothing of it is there, and nothing else has changed.
func (s scene) gone(t *testing.T) {
	t.Helper()
	if _, err := os.Lstat(s.trees); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the child's folder, or one that was made for it, is still there: %v", err)
	}
	for _, line := range snapshot.Diff(s.before, take(t, s.parent)) {
		t.Errorf("not as before: %s", line)
	}
}

// whole is the sentence for one that did.
func (s scene) whole(t *testing.T) {
	t.Helper()
	for _, d := range compare.Trees(s.parent, s.child, compare.Options{Index: true, FolderModes: true}) {
		t.Errorf("the child is not its parent: %s", d)
	}
	for _, line := range snapshot.Diff(s.before, take(t, s.parent), snapshot.Branch(s.branch), snapshot.Worktrees()) {
		t.Errorf("not as before: %s", line)
	}
}

// wholeOrGone: a fork whose answer nobody heard has happened completely, or not at all.
func (s scene) wholeOrGone(t *testing.T) (whole bool) {
	t.Helper()
	if _, err := os.Lstat(s.child); err != nil {
		s.gone(t)
		return false
	}
	s.whole(t)
	return true
}

// stopAt is a progress that stops the fork in the very moment in which a stage begins.
type stopAt struct {
	stage commands.Stage
	stop  func()
	seen  []commands.Stage
}

func (s *stopAt) Stage(_ string, stage commands.Stage, _ int) {
	s.seen = append(s.seen, stage)
	if stage == s.stage {
		s.stop()
	}
}

func (*stopAt) Report(int, string) {}

func TestACancelAtTheBeginningOfEachStageLeavesNothing(t *testing.T) {
	for i, stage := range stages {
		t.Run(string(stage), func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			argument, _ := json.Marshal(s.argument())
			p := &stopAt{stage: stage, stop: cancel}
			result, failed := commands.Run(ctx, &commands.Env{}, "sidefork.fork", argument, p)
			if failed != nil {
				t.Fatalf("%+v\n%s", failed, failed.Detail)
			}
			if c, ok := result.(commands.Cancelled); !ok || c.Status != "cancelled" {
				t.Errorf("answered %+v", result)
			}
			if len(p.seen) != i+1 {
				t.Errorf("went on after the cancel: %v", p.seen)
			}
			s.gone(t)
		})
	}
}

func TestAForkThatNobodyStopsIsWhole(t *testing.T) {
	s := newScene(t)
	argument, _ := json.Marshal(s.argument())
	p := &stopAt{}
	result, failed := commands.Run(t.Context(), &commands.Env{}, "sidefork.fork", argument, p)
	if failed != nil {
		t.Fatalf("%+v\n%s", failed, failed.Detail)
	}
	if r, ok := result.(*commands.ForkResult); !ok || !r.Carried.Verified || r.Carried.Left == nil || len(p.seen) != len(stages) {
		t.Errorf("answered %+v after the stages %v", result, p.seen)
	}
	s.whole(t)
	// The answer is kept for a client that it does not reach, and the same request does not fork twice.
	want, _ := json.Marshal(result)
	if o := outcomeOf(t, s, argument); o.State != "completed" || !bytes.Equal(o.Result, want) || o.Error != nil {
		t.Errorf("the outcome is %s %s %s, want %s", o.State, o.Result, o.Error, want)
	}
	if _, failed := commands.Run(t.Context(), &commands.Env{}, "sidefork.fork", renamed(argument), nil); failed == nil || failed.Reason.Code != "invalidArgument" {
		t.Errorf("the same operation again: %+v", failed)
	}
	s.whole(t)
}

func TestTheOutcomeOfAForkThatFailedSaysWhy(t *testing.T) {
	s := newScene(t)
	argument, _ := json.Marshal(s.argument())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, failed := commands.Run(ctx, &commands.Env{}, "sidefork.fork", argument, &stopAt{stage: commands.Copying, stop: cancel}); failed != nil {
		t.Fatal(failed)
	}
	var data commands.Failure
	o := outcomeOf(t, s, argument)
	if err := json.Unmarshal(o.Error, &data); o.State != "rolledBack" || err != nil || data.Effect != commands.RolledBack || data.Reason.Code != "interrupted" || o.Result != nil {
		t.Errorf("%s %s %s, %v", o.State, o.Result, o.Error, err)
	}
	other, _ := json.Marshal(s.argument())
	if o := outcomeOf(t, s, other); o.State != "unknownOperation" || o.Result != nil || o.Error != nil {
		t.Errorf("of an operation that never was: %+v", o)
	}
	s.gone(t)
}

func outcomeOf(t *testing.T, s scene, argument []byte) commands.OutcomeResult {
	t.Helper()
	var of struct{ OperationID string }
	if err := json.Unmarshal(argument, &of); err != nil {
		t.Fatal(err)
	}
	ask, _ := json.Marshal(commands.OutcomeParams{OperationID: of.OperationID, Repository: s.parent})
	result, failed := commands.Run(t.Context(), &commands.Env{}, "sidefork.outcome", ask, nil)
	if failed != nil {
		t.Fatal(failed)
	}
	return result.(commands.OutcomeResult)
}

// renamed is the same operation under another name, which alone would not stand in its way.
func renamed(argument []byte) []byte {
	var p map[string]any
	_ = json.Unmarshal(argument, &p)
	p["name"], p["dir"] = "other", p["dir"].(string)+"-other"
	text, _ := json.Marshal(p)
	return text
}

// ways are how a running fork can be stopped from outside. dies says that the sidecar ends by it.
var ways = []struct {
	name string
	dies bool
	stop func(e *editor.Editor, process *os.Process, c *editor.Call) error
}{
	{"cancel by request", false, func(e *editor.Editor, _ *os.Process, c *editor.Call) error { return e.Cancel(c.ID) }},
	{"cancel by token", false, func(e *editor.Editor, _ *os.Process, _ *editor.Call) error { return e.CancelToken("token") }},
	{"end of input", true, func(e *editor.Editor, _ *os.Process, _ *editor.Call) error { return e.CloseInput() }},
	{"SIGTERM", true, func(_ *editor.Editor, p *os.Process, _ *editor.Call) error { return p.Signal(syscall.SIGTERM) }},
}

func TestAStopFromOutsideAtEachStageLeavesTheChildWholeOrGone(t *testing.T) {
	for _, way := range ways {
		for _, stage := range stages {
			t.Run(way.name+"/"+string(stage), func(t *testing.T) {
				t.Parallel()
				s := newScene(t)
				e, process := start(t, s.parent)
				c := e.Execute("sidefork.fork", s.argument(), "token")
				await(t, c, stage)
				if err := way.stop(e, process, c); err != nil {
					t.Fatal(err)
				}
				if way.dies {
					if status, err := e.Wait(t.Context()); err != nil || status != 1 {
						t.Errorf("exit status %d, %v", status, err)
					}
					s.wholeOrGone(t)
					return
				}
				var r commands.ForkResult
				if err := c.Into(t.Context(), &r); err != nil {
					t.Fatal(err)
				}
				switch r.Status {
				case "cancelled":
					s.gone(t)
				case "completed": // the cancel came after the boundary, which is no failure
					s.whole(t)
				default:
					t.Errorf("answered %+v", r)
				}
			})
		}
	}
}

// TestAKillAtEachStageIsTakenBackByTheNextStart kills the sidecar alone, as the kernel does when memory is short: the git
// that it had started goes on for a moment, and nobody rolls back. What is taken back can be made again.
func TestAKillAtEachStageIsTakenBackByTheNextStart(t *testing.T) {
	for _, stage := range stages {
		for i := range *kills {
			moment := time.Duration(0)
			if i > 0 {
				moment = rand.N(80 * time.Millisecond)
			}
			t.Run(fmt.Sprintf("%s+%s", stage, moment), func(t *testing.T) {
				t.Parallel()
				s := newScene(t)
				e, _ := start(t, s.parent)
				argument := s.argument()
				c := e.Execute("sidefork.fork", argument, nil)
				await(t, c, stage)
				next := killAfter(t, moment, e, c, s.parent)
				text, _ := json.Marshal(argument)
				state := outcomeOf(t, s, text).State
				if s.wholeOrGone(t) != (state == "completed") || state == "running" || state == "failed" {
					t.Errorf("the outcome is said to be %s", state)
				}
				if _, err := os.Lstat(s.child); err != nil {
					if _, err := next.Execute("sidefork.fork", s.argument(), nil).Wait(t.Context()); err != nil {
						t.Errorf("a second fork fails: %v", err)
					}
					s.whole(t)
				}
				if status, err := next.Quit(t.Context()); err != nil || status != 0 {
					t.Errorf("exit status %d, %v", status, err)
				}
			})
		}
	}
}

// killAfter kills a sidecar in the middle of a call, and starts the next one, which has looked at the repository.
func killAfter(t *testing.T, moment time.Duration, e *editor.Editor, c *editor.Call, folder string) (next *editor.Editor) {
	t.Helper()
	select { // no wait for something: the kill is to hit any moment
	case <-time.After(moment):
	case <-c.Done():
	}
	if err := e.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	next, _ = start(t, folder)
	if _, err := next.Execute("sidefork.workspaces", map[string]any{}, nil).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return next
}

func start(t *testing.T, folder string) (*editor.Editor, *os.Process) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asSidecar+"=1", "TMPDIR="+t.TempDir()) // a killed one leaves a folder there for a while
	e, err := editor.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	if _, err := e.Initialize(t.Context(), editor.Options{Folders: []string{folder}}); err != nil {
		t.Fatal(err)
	}
	return e, cmd.Process
}

func await(t *testing.T, c *editor.Call, stage commands.Stage) {
	t.Helper()
	if _, err := c.Stages.Await(t.Context(), editor.IsStage(string(stage))); err != nil {
		t.Fatal(err)
	}
}

func take(t *testing.T, dir string) snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
