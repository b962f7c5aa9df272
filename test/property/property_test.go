//go:build unix

package property

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/test/snapshot"
)

var (
	seed  = flag.Uint64("seed", 1, "of the random states")
	forks = flag.Int("forks", 40, "how many repositories are forked")
	paths = flag.Int("paths", 75, "random paths in each")
)

// must come, each at least once: git's two letters for a path (renames found, as it shows them to people), and whatever
// else a state can have.
var (
	letters = strings.Fields("M. MM MT MD T. TM TT TD A. AM AT AD D. .M .T .D .A R. RM RD ?? !!")
	unions  = strings.Fields("DD AU UD UA DU AA UU")
)

func TestForksOfRandomStatesAreTheirParents(t *testing.T) {
	t.Logf("-seed %d -forks %d -paths %d: %d states", *seed, *forks, *paths, *forks**paths)
	var mu sync.Mutex
	drawn := map[string]int{}
	t.Run("forks", func(t *testing.T) {
		for i := range *forks {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				g := &generator{Rand: rand.New(rand.NewPCG(*seed, uint64(i))), whole: i%2 == 0}
				var states []state
				for range *paths {
					states = append(states, g.state())
				}
				if i%5 == 4 {
					states = append(states, g.unmerged(i/5), g.unmerged(i/5+4))
				}
				found, err := try(t, states)
				if err != nil {
					least := shrink(t, states, func(t *testing.T, states []state) error {
						_, err := try(t, states)
						return err
					})
					t.Fatalf("-seed %d, fork %d: %v\nof %d paths these are enough:\n%s", *seed, i, err, len(states), list(least))
				}
				mu.Lock()
				defer mu.Unlock()
				for what, n := range found {
					drawn[what] += n
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	for _, what := range slices.Sorted(maps.Keys(drawn)) {
		t.Logf("%6d  %s", drawn[what], what)
	}
	if *forks**paths < 1000 {
		return // too few for each to have come
	}
	for _, what := range slices.Concat(letters, unions, []string{"assume-unchanged", "skip-worktree", "file → link", "link → file"}, slices.Collect(maps.Values(endings))) {
		if drawn[what] == 0 {
			t.Errorf("%s was never drawn", what)
		}
	}
}

func list(states []state) string {
	var lines []string
	for _, s := range states {
		lines = append(lines, s.String())
	}
	return strings.Join(lines, "\n")
}

// shrink leaves out what the failure does not need.
func shrink(t *testing.T, states []state, try func(t *testing.T, states []state) error) []state {
	for size := len(states) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(states); {
			without := slices.Concat(states[:at], states[at+size:])
			if try(t, without) != nil {
				states = without
			} else {
				at += size
			}
		}
	}
	return states
}

// try makes the states, forks them, and says in what child and parent are unlike, or the parent is not as before. It gives
// how often each thing was there.
func try(t *testing.T, states []state) (map[string]int, error) {
	world, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		return nil, err
	}
	r := repository{top: filepath.Join(world, "parent")}
	if err := r.make(states); err != nil {
		return nil, fmt.Errorf("the test's own repository: %w", err)
	}
	found, err := r.count(states)
	if err != nil {
		return nil, err
	}
	before, err := snapshot.Take(r.top)
	if err != nil {
		return nil, err
	}
	conflict := slices.ContainsFunc(states, func(s state) bool { return s.stages != "" })
	err = fork(r.top, filepath.Join(world, "child"), before)
	if no, ok := errors.AsType[*worktree.Refusal](err); conflict && ok && no.Code == "unmerged" {
		err = nil
	} else if conflict && err == nil {
		err = errors.New("unmerged paths were forked")
	}
	after, e := snapshot.Take(r.top)
	if e == nil && err == nil {
		if d := snapshot.Diff(before, after); len(d) > 0 {
			e = fmt.Errorf("after all of it was taken back: %v", d)
		}
	}
	return found, errors.Join(err, e)
}

func fork(top, child string, before snapshot.Snapshot) (err error) {
	ctx := context.Background()
	parent, err := worktree.Open(ctx, top)
	if err != nil {
		return err
	}
	plan, err := carry.Look(ctx, parent, parent.Head, carry.Options{})
	if err != nil {
		return err
	}
	defer plan.Close()
	if no := plan.Refused(); no != nil {
		return no
	}
	o, err := carry.Begin(ctx, parent, uuid.NewString())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.RollBack(ctx), o.Close(), forget(parent.CommonDir)) }()
	into, err := o.Create(ctx, carry.CreateRequest{Path: child, Branch: "child", Base: parent.Head, Like: plan})
	if err != nil {
		return err
	}
	result, err := plan.Into(ctx, into, o, nil)
	if err != nil {
		return err
	}
	errs := []error{unlike(top, child, result)}
	after, err := snapshot.Take(top)
	if err == nil {
		for _, line := range snapshot.Diff(before, after, snapshot.Branch("child"), snapshot.Worktrees()) {
			errs = append(errs, fmt.Errorf("the parent is not as before: %s", line))
		}
	}
	return errors.Join(append(errs, err)...)
}

// forget removes what an operation leaves behind by intention: its end, and the folders of its locks.
func forget(commonDir string) error { return os.RemoveAll(filepath.Join(commonDir, "sidefork")) }
