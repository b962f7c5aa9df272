//go:build unix

package carry

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
)

// severalOf begins a call for three copies and makes the first two of them, each with a carried file.
func severalOf(r *repo) *Copies {
	r.Helper()
	source := opened(r, r.top)
	var requests []CopyRequest
	for _, n := range []string{"1", "2", "3"} {
		requests = append(requests, CopyRequest{uuid.NewString(), CreateRequest{Path: r.world() + "/x/child-" + n, Branch: "feat/child-" + n, Base: source.Head}})
	}
	c, err := BeginCopies(context.Background(), source, operation, requests)
	must(r, err)
	r.Cleanup(func() { c.Close() })
	for i := range 2 {
		child, err := c.Each[i].Create(context.Background(), requests[i].CreateRequest)
		must(r, err)
		c.Each[i].carry(r, child, "new.txt", "new")
	}
	return c
}

// die leaves a call as the death of its process does.
func (c *Copies) die(t testing.TB) {
	t.Helper()
	for _, o := range append(c.Each, c.call) {
		must(t, o.journal.file.Close())
		o.lock.release()
		o.sourceLock.release()
		o.lock = nil // Close does nothing any more
	}
}

func TestACallForCopiesThatDiesIsTakenBackOrWhollyKept(t *testing.T) {
	t.Parallel()
	mine := func(r *repo) { must(r, os.WriteFile(r.world()+"/x/child-2/mine", []byte("mine"), 0o644)) }
	for name, c := range map[string]struct {
		upTo    func(r *repo, c *Copies)
		actions map[string]string // of what was made, by the child's name
		outcome string
		stands  string
	}{
		"before its word": {func(*repo, *Copies) {}, map[string]string{"child-1": "rolledBack", "child-2": "rolledBack"}, "rolledBack", ""},
		"after its word, and before the copies'": {func(r *repo, c *Copies) {
			must(r, c.call.journal.say(said{What: saidCompleted, Copies: []string{c.Each[0].ID, c.Each[1].ID}}, true))
		}, nil, "completed", ""},
		"after its word, which does not name one that could not be taken back": {func(r *repo, c *Copies) {
			must(r, c.call.journal.say(said{What: saidCompleted, Copies: []string{c.Each[0].ID}}, true))
		}, map[string]string{"child-2": "rolledBack"}, "completed", ""},
		"with work in a copy": {func(r *repo, _ *Copies) { mine(r) }, map[string]string{"child-1": "rolledBack", "child-2": "kept"}, "failed", "child-2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			before := everything(t, r.world())
			call := severalOf(r)
			c.upTo(r, call)
			call.die(t)
			got := map[string]string{}
			for _, one := range recovered(t, r) {
				if one.Operation != operation {
					t.Errorf("recovered %s, which nobody has asked for", one.Operation)
				}
				got[filepath.Base(one.Workspace)] = one.Action
			}
			if len(got) != len(c.actions) {
				t.Errorf("recovered %v, want %v", got, c.actions)
			}
			for child, action := range c.actions {
				if got[child] != action {
					t.Errorf("%s: %s, want %s", child, got[child], action)
				}
			}
			if again := recovered(t, r); again != nil {
				t.Errorf("the second time: %+v", again)
			}
			if got := Outcome(r.top+"/.git", operation); got != c.outcome {
				t.Errorf("outcome: %s, want %s", got, c.outcome)
			}
			if folder, _ := Stands(r.top+"/.git", operation); c.outcome == "failed" && filepath.Base(folder) != c.stands {
				t.Errorf("stands: %s", folder)
			}
			if c.outcome == "rolledBack" {
				unchanged(t, r, before)
			}
			begun(t, opened(t, r.top)) // the locks died with their holder
		})
	}
}

func TestCopiesAreTakenBackInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}, {2, 1, 0}} {
		r := newRepo(t)
		before := everything(t, r.world())
		c := severalOf(r)
		for _, i := range order {
			must(t, c.Each[i].RollBack(context.Background()))
		}
		must(t, c.Close())
		unchanged(t, r, before)
		if got := Outcome(r.top+"/.git", operation); got != "rolledBack" {
			t.Errorf("outcome: %s", got)
		}
	}
}

func TestACallForCopiesLocksItsSourceOnce(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	c := severalOf(r)
	refused := func() {
		t.Helper()
		if _, err := Begin(context.Background(), opened(t, r.top), uuid.NewString()); refusal(err) != "forkInProgress" {
			t.Errorf("beside it: %v", err)
		}
	}
	refused()
	must(t, c.Each[0].RollBack(context.Background()))
	must(t, c.Each[0].Close())
	refused()
	if got := Outcome(r.top+"/.git", operation); got != "running" {
		t.Errorf("while it runs: %s", got)
	}
	if got := recovered(t, r); got != nil {
		t.Errorf("while it runs: %+v", got)
	}
	must(t, c.Keep(c.Each[1:2]))
	refused()
	must(t, c.Each[2].RollBack(context.Background()))
	must(t, c.Close())
	begun(t, opened(t, r.top))
	if got := Outcome(r.top+"/.git", operation); got != "completed" {
		t.Errorf("once it is done: %s", got)
	}
	if _, err := os.Lstat(r.world() + "/x/child-2/new.txt"); err != nil {
		t.Errorf("what was kept is gone: %v", err)
	}
	if _, err := BeginCopies(context.Background(), opened(t, r.top), operation, nil); refusal(err) == "" {
		t.Error("its id is good for a second one")
	}
}

func TestACopyThatCannotBeTakenBackWaitsForTheNextStart(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	c := severalOf(r)
	mine := r.world() + "/x/child-2/mine"
	must(t, os.WriteFile(mine, []byte("mine"), 0o644))
	if err := c.Each[1].RollBack(context.Background()); err == nil {
		t.Fatal("work of somebody else was taken away")
	}
	must(t, c.Keep(c.Each[:1]))
	must(t, c.Close())
	must(t, os.Remove(mine))
	if got := recovered(t, r); len(got) != 1 || got[0].Action != "rolledBack" || filepath.Base(got[0].Workspace) != "child-2" {
		t.Errorf("recovered %+v", got)
	}
	if _, err := os.Lstat(r.world() + "/x/child-1/new.txt"); err != nil {
		t.Errorf("what was kept is gone: %v", err)
	}
	if got := Outcome(r.top+"/.git", operation); got != "completed" {
		t.Errorf("outcome: %s", got)
	}
}

// TestACopyOfAPlanIsItsOwn writes one look into two children, of which the first takes again what has moved since.
func TestACopyOfAPlanIsItsOwn(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "edited\n")
	r.write("new.txt", "new\n")
	source := opened(t, r.top)
	plan, err := Look(context.Background(), source, source.Head, Options{})
	must(t, err)
	defer plan.Close()
	r.write("a.txt", "edited again\n")
	for _, n := range []string{"1", "2"} {
		o := begun(t, source)
		child := created(t, o, r.world()+"/x/child-"+n, "feat/child-"+n)
		own := plan.Copy()
		if _, err := own.Into(context.Background(), child, o, nil); err != nil {
			t.Fatal(explain(err))
		}
		own.Close()
		if text, err := os.ReadFile(child.Path + "/a.txt"); err != nil || string(text) != "edited again\n" {
			t.Errorf("child %s has %q, %v", n, text, err)
		}
		must(t, o.Keep())
		must(t, o.Close())
	}
	if len(plan.Files) != 2 || plan.disk[0].was.size != int64(len("edited\n")) {
		t.Errorf("the plan itself was changed: %+v", plan.Files)
	}
}
