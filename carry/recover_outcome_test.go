//go:build unix

package carry

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// TestAsker is no test: it is another process that asks what became of the operation.
func TestAsker(t *testing.T) {
	t.Parallel()
	if common := os.Getenv("SIDEFORK_TEST_ASK"); common != "" {
		os.Stdout.WriteString("outcome " + Outcome(common, operation) + "\n")
	}
}

// asked is what another process says.
func asked(t testing.TB, common string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestAsker$")
	cmd.Env = append(os.Environ(), "SIDEFORK_TEST_ASK="+common)
	out, err := cmd.Output()
	must(t, err)
	_, rest, _ := strings.Cut(string(out), "outcome ")
	word, _, _ := strings.Cut(rest, "\n")
	return word
}

// TestOutcomeSaysWhatBecameOfAnOperation in this process and in another, and none of the ids is good for a second one.
func TestOutcomeSaysWhatBecameOfAnOperation(t *testing.T) {
	t.Parallel()
	start := func(r *repo) *Operation {
		o, err := Begin(context.Background(), opened(r, r.top), operation)
		must(r, err)
		r.Cleanup(func() { o.Close() })
		created(r, o, r.world()+"/x/child", "feat/child")
		return o
	}
	mine := func(r *repo) { must(r, os.WriteFile(r.world()+"/x/child/mine", []byte("mine"), 0o644)) }
	for name, c := range map[string]struct {
		become  func(r *repo)
		outcome string
		again   string // the refusal of another operation with this id, of this source
		other   string // and of another source
	}{
		"unknown": {func(*repo) {}, "unknownOperation", "", ""},
		"another one is known": {func(r *repo) {
			must(r, begun(r, opened(r, r.top)).Close())
		}, "unknownOperation", "", ""},
		"running":   {func(r *repo) { start(r) }, "running", "forkInProgress", "invalidArgument"},
		"kept":      {func(r *repo) { o := start(r); must(r, o.Keep()) }, "completed", "forkInProgress", "invalidArgument"},
		"completed": {func(r *repo) { o := start(r); must(r, o.Keep()); must(r, o.Close()) }, "completed", "invalidArgument", "invalidArgument"},
		"rolled back, not closed": {func(r *repo) {
			must(r, start(r).RollBack(context.Background()))
		}, "rolledBack", "forkInProgress", "invalidArgument"},
		"rolled back": {func(r *repo) {
			o := start(r)
			must(r, o.RollBack(context.Background()))
			must(r, o.Close())
		}, "rolledBack", "invalidArgument", "invalidArgument"},
		"nothing written": {func(r *repo) {
			o, err := Begin(context.Background(), opened(r, r.top), operation)
			must(r, err)
			must(r, o.Close())
		}, "rolledBack", "invalidArgument", "invalidArgument"},
		"stuck at somebody's work": {func(r *repo) {
			o := start(r)
			mine(r)
			if o.RollBack(context.Background()) == nil {
				r.Error("rolled back over it")
			}
			must(r, o.Close())
		}, "failed", "invalidArgument", "invalidArgument"},
		"killed": {func(r *repo) { killed(r, r, "carried") }, "failed", "invalidArgument", "invalidArgument"},
		"killed and recovered": {func(r *repo) {
			killed(r, r, "carried")
			recovered(r, r)
		}, "rolledBack", "invalidArgument", "invalidArgument"},
		"killed and kept": {func(r *repo) {
			killed(r, r, "carried")
			mine(r)
			recovered(r, r)
		}, "failed", "invalidArgument", "invalidArgument"},
		"running elsewhere":   {func(r *repo) { held(r, r, "made") }, "running", "forkInProgress", "invalidArgument"},
		"completed elsewhere": {func(r *repo) { killed(r, r, "kept") }, "completed", "invalidArgument", "invalidArgument"},
		"a journal that nobody can read": {func(r *repo) {
			r.write(".git/sidefork/operations/"+operation+".json", "?\n")
		}, "failed", "invalidArgument", "invalidArgument"},
		"a journal of nothing": {func(r *repo) { // its process died in Begin
			r.write(".git/sidefork/operations/"+operation+".json", "")
		}, "failed", "invalidArgument", "invalidArgument"},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.git("worktree", "add", "-q", "-b", "other", r.world()+"/other")
			common := r.top + "/.git"
			c.become(&repo{t, r.top})
			before := everything(t, r.world())
			for range 2 { // asking changes nothing
				if got := Outcome(common, operation); got != c.outcome {
					t.Errorf("here: %s, want %s", got, c.outcome)
				}
				if got := asked(t, common); got != c.outcome {
					t.Errorf("elsewhere: %s, want %s", got, c.outcome)
				}
			}
			if folder, branch := Stands(common, operation); c.outcome == "failed" && !strings.HasPrefix(name, "a journal") {
				if folder != r.world()+"/x/child" || branch != "feat/child" {
					t.Errorf("stands: %q %q", folder, branch)
				}
			} else if c.outcome != "completed" && c.outcome != "running" && folder != "" {
				t.Errorf("%q is said to stand", folder)
			}
			for dir, want := range map[string]string{r.top: c.again, r.world() + "/other": c.other} {
				o, err := Begin(context.Background(), opened(t, dir), operation)
				switch {
				case want == "" && err != nil:
					t.Errorf("again: %v", err)
				case want == "":
					must(t, o.Close())
					must(t, os.Remove(journalFile(common, operation)))
				case err == nil || refusal(err) != want:
					t.Errorf("again: %v, want %s", err, want)
				}
			}
			if c.outcome != "unknownOperation" {
				if got := Outcome(common, operation); got != c.outcome {
					t.Errorf("after a second Begin: %s, want %s", got, c.outcome)
				}
			}
			unchanged(t, r, before)
		})
	}
	for _, id := range []string{"", "x", "../../" + operation, operation + "x", uuid.NewString()} {
		if got := Outcome(filepath.Join(newRepo(t).top, ".git"), id); got != "unknownOperation" {
			t.Errorf("%q: %s", id, got)
		}
	}
}

func TestRecoverRemovesWhatAProcessWasAboutToName(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	o := begun(t, opened(t, r.top))
	for _, name := range []string{operation + ".json.new", operation + ".reflog.new", operation + ".lock", o.ID + ".json.new"} {
		r.write(".git/sidefork/operations/"+name, "half")
	}
	if got := recovered(t, r); got != nil {
		t.Errorf("%+v", got)
	}
	if nothingAt(operationsFolder(r.top+"/.git") + "/" + o.ID + ".json.new") {
		t.Error("that of a running one is gone")
	}
	must(t, o.Close())
	nothingKept(t, o)
}

// TestOutcomeNeverCallsARunningOperationFailed while it comes to its end under the question.
func TestOutcomeNeverCallsARunningOperationFailed(t *testing.T) {
	t.Parallel()
	source := opened(t, newRepo(t).top)
	for range 200 {
		o := begun(t, source)
		answers := make(chan string)
		go func() {
			defer close(answers)
			for said := "running"; said == "running"; {
				said = Outcome(source.CommonDir, o.ID)
				answers <- said
			}
		}()
		<-answers
		closed := make(chan error)
		go func() { closed <- o.Close() }()
		for said := range answers {
			if said != "running" && said != "rolledBack" {
				t.Errorf("said %s", said)
			}
		}
		must(t, <-closed)
	}
}
