//go:build unix

package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/snapshot"
)

const copies = 3

// several asks for three children at once: branches and folders end in -1, -2, -3.
func (s scene) several() map[string]any {
	argument := s.argument()
	argument["copies"] = copies
	return argument
}

// standing are the copies that are there, each of which must be whole, and nothing else may have changed.
func (s scene) standing(t *testing.T) (standing []int) {
	t.Helper()
	var allowed []snapshot.Allow
	for i := 1; i <= copies; i++ {
		child := fmt.Sprintf("%s-%d", s.child, i)
		if _, err := os.Lstat(child); err != nil {
			continue
		}
		standing = append(standing, i)
		allowed = append(allowed, snapshot.Branch(fmt.Sprintf("%s-%d", s.branch, i)), snapshot.Worktrees())
		for _, d := range compare.Trees(s.parent, child, compare.Options{Index: true, FolderModes: true}) {
			t.Errorf("copy %d is not its parent: %s", i, d)
		}
	}
	if len(standing) == 0 {
		s.gone(t)
		return nil
	}
	for _, line := range snapshot.Diff(s.before, take(t, s.parent), allowed...) {
		t.Errorf("not as before: %s", line)
	}
	return standing
}

func TestACancelOfSeveralCopiesLeavesNothing(t *testing.T) {
	for _, stage := range stages {
		t.Run(string(stage), func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			argument, _ := json.Marshal(s.several())
			result, failed := commands.Run(ctx, &commands.Env{}, "sidefork.fork", argument, &stopAt{stage: stage, stop: cancel})
			if failed != nil {
				t.Fatalf("%+v\n%s", failed, failed.Detail)
			}
			if c, ok := result.(commands.Cancelled); !ok || c.Status != "cancelled" {
				t.Errorf("answered %+v", result)
			}
			s.gone(t)
		})
	}
}

// TestACopyThatCannotBeMadeDoesNotTakeTheOthersWithIt makes the branch of one while the first is being created.
func TestACopyThatCannotBeMadeDoesNotTakeTheOthersWithIt(t *testing.T) {
	s := newScene(t)
	argument, _ := json.Marshal(s.several())
	p := &stopAt{stage: commands.Creating, stop: func() {
		if out, err := exec.Command("git", "-C", s.parent, "branch", s.branch+"-2").CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}}
	result, failed := commands.Run(t.Context(), &commands.Env{}, "sidefork.fork", argument, p)
	if failed != nil {
		t.Fatalf("%+v\n%s", failed, failed.Detail)
	}
	if len(p.seen) != len(stages) {
		t.Errorf("it told of the stages %v", p.seen)
	}
	made := result.(*commands.ForkResult).Copies
	if len(made) != copies || made[0].ForkResult == nil || made[2].ForkResult == nil || made[1].ForkResult != nil || made[1].Name != s.branch+"-2" ||
		made[1].Error == nil || made[1].Error.Reason.Code != "nameTaken" || made[1].Error.Effect != commands.RolledBack {
		t.Errorf("answered %+v", made)
	}
	if _, err := os.Lstat(s.child + "-2"); err == nil {
		t.Error("the one that failed is there")
	}
	for _, n := range []string{"-1", "-3"} {
		for _, d := range compare.Trees(s.parent, s.child+n, compare.Options{Index: true, FolderModes: true}) {
			t.Errorf("copy %s is not its parent: %s", n, d)
		}
	}
	want, _ := json.Marshal(result)
	if o := outcomeOf(t, s, argument); o.State != "completed" || string(o.Result) != string(want) {
		t.Errorf("the outcome is %s %s, want %s", o.State, o.Result, want)
	}
}

func TestAKillInTheMiddleOfSeveralCopiesIsTakenBackByTheNextStart(t *testing.T) {
	for _, stage := range stages[1:] {
		for range (*kills + 3) / 4 {
			moment := rand.N(150 * time.Millisecond)
			t.Run(fmt.Sprintf("%s+%s", stage, moment), func(t *testing.T) {
				t.Parallel()
				s := newScene(t)
				e, _ := start(t, s.parent)
				argument := s.several()
				c := e.Execute("sidefork.fork", argument, nil)
				await(t, c, stage)
				next := killAfter(t, moment, e, c, s.parent)
				text, _ := json.Marshal(argument)
				state := outcomeOf(t, s, text).State
				standing := s.standing(t)
				if len(standing) != 0 && len(standing) != copies || (len(standing) == copies) != (state == "completed") || state == "failed" || state == "running" {
					t.Errorf("%v stand, and the outcome is said to be %s", standing, state)
				}
				if status, err := next.Quit(t.Context()); err != nil || status != 0 {
					t.Errorf("exit status %d, %v", status, err)
				}
			})
		}
	}
}

// TestACancelFromOutsideTakesAllCopiesBackOrNone cancels by request while the copies are being made.
func TestACancelFromOutsideTakesAllCopiesBackOrNone(t *testing.T) {
	for _, stage := range []commands.Stage{commands.Copying, commands.Starting} {
		t.Run(string(stage), func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			e, _ := start(t, s.parent)
			c := e.Execute("sidefork.fork", s.several(), "token")
			await(t, c, stage)
			if err := e.Cancel(c.ID); err != nil {
				t.Fatal(err)
			}
			var r commands.ForkResult
			if err := c.Into(t.Context(), &r); err != nil {
				t.Fatal(err)
			}
			if standing := s.standing(t); (r.Status == "completed") != (len(standing) == copies) || (r.Status == "cancelled") != (len(standing) == 0) {
				t.Errorf("answered %s, and %v stand", r.Status, standing)
			}
		})
	}
}

// TestAForkIsKeptWithoutTheChangesWhereThatWasAskedFor commits in the parent as the changes are to be brought: they cannot be.
func TestAForkIsKeptWithoutTheChangesWhereThatWasAskedFor(t *testing.T) {
	for _, c := range []struct {
		name        string
		copies      int
		onFailure   string
		stand, bare []string // children; those of them that are without the changes
	}{
		{"rolled back", 1, "rollback", nil, nil},
		{"kept", 1, "keep", []string{""}, []string{""}},
		{"two of them", 2, "keep", []string{"-1", "-2"}, []string{"-1", "-2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			argument := s.argument()
			argument["onCarryFailure"], argument["copies"] = c.onFailure, c.copies
			text, _ := json.Marshal(argument)
			base := gitOut(t, s.parent, "rev-parse", "HEAD")
			p := &stopAt{stage: commands.Copying, stop: func() {
				gitOut(t, s.parent, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "moved on")
			}}
			result, failed := commands.Run(t.Context(), &commands.Env{}, "sidefork.fork", text, p)
			if c.stand == nil {
				if failed == nil || failed.Effect != commands.RolledBack || failed.Reason.Code != "parentMoved" {
					t.Errorf("answered %+v, %+v", result, failed)
				}
				return
			}
			if failed != nil {
				t.Fatalf("%+v\n%s", failed, failed.Detail)
			}
			each := []*commands.ForkResult{result.(*commands.ForkResult)}
			if c.copies > 1 {
				each = nil
				for _, one := range result.(*commands.ForkResult).Copies {
					each = append(each, one.ForkResult)
				}
			}
			for i, n := range c.stand {
				if each[i] == nil || each[i].Workspace == nil || each[i].Workspace.Path != s.child+n || each[i].Carried != nil || len(each[i].Warnings) == 0 || each[i].Warnings[0].Code != "changesLeft" {
					t.Errorf("answered %+v", each[i])
				}
			}
			for _, n := range c.bare {
				if status := gitOut(t, s.child+n, "status", "--porcelain"); status != "" {
					t.Errorf("the child has changes:\n%s", status)
				}
				if head := gitOut(t, s.child+n, "rev-parse", "HEAD"); head != base {
					t.Errorf("the child is at %s, not %s", head, base)
				}
			}
			want, _ := json.Marshal(result)
			if o := outcomeOf(t, s, text); o.State != "completed" || string(o.Result) != string(want) {
				t.Errorf("the outcome is %s %s, want %s", o.State, o.Result, want)
			}
		})
	}
}

// TestAForkThatMayBeKeptBringsTheChangesWhereItCan: nothing of the second attempt is there then.
func TestAForkThatMayBeKeptBringsTheChangesWhereItCan(t *testing.T) {
	s := newScene(t)
	argument := s.argument()
	argument["onCarryFailure"] = "keep"
	text, _ := json.Marshal(argument)
	result, failed := commands.Run(t.Context(), &commands.Env{}, "sidefork.fork", text, &stopAt{})
	if failed != nil {
		t.Fatalf("%+v\n%s", failed, failed.Detail)
	}
	if r := result.(*commands.ForkResult); r.Carried == nil || !r.Carried.Verified || len(r.Copies) != 0 {
		t.Errorf("answered %+v", r)
	}
	for _, d := range compare.Trees(s.parent, s.child, compare.Options{Index: true, FolderModes: true}) {
		t.Errorf("it is not its parent: %s", d)
	}
	for _, line := range snapshot.Diff(s.before, take(t, s.parent), snapshot.Branch(s.branch), snapshot.Worktrees()) {
		t.Errorf("not as before: %s", line)
	}
	if left, _ := filepath.Glob(filepath.Join(s.parent, ".git/sidefork/operations/*.lock")); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
}

func gitOut(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		t.Errorf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
