//go:build unix

package property

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/snapshot"
)

// TestCarriesOfRandomStatesAreTheirSources brings random states into a workspace that was there before, at the same commit:
// it must become its source, and what it was once that is taken back.
func TestCarriesOfRandomStatesAreTheirSources(t *testing.T) {
	t.Parallel()
	for i := range max(1, *forks/4) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			g := &generator{Rand: rand.New(rand.NewPCG(*seed, 1_000_000+uint64(i))), whole: i%2 == 0}
			var states []state
			for range *paths {
				states = append(states, g.state())
			}
			if err := tryCarry(t, states); err != nil {
				least := shrink(t, states, tryCarry)
				t.Fatalf("-seed %d, carry %d: %v\nof %d paths these are enough:\n%s", *seed, i, err, len(states), list(least))
			}
		})
	}
}

func tryCarry(t *testing.T, states []state) error {
	world, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		return err
	}
	r := repository{top: filepath.Join(world, "source")}
	if err := r.make(states); err != nil {
		return fmt.Errorf("the test's own repository: %w", err)
	}
	target := filepath.Join(world, "target")
	if out, err := exec.Command("git", "-C", r.top, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "worktree", "add", "-q", "-b", "target", target, "HEAD").CombinedOutput(); err != nil {
		return fmt.Errorf("the test's own target: %w: %s", err, out)
	}
	before, err := snapshot.Take(r.top)
	if err != nil {
		return err
	}
	there, err := contents(target)
	if err != nil {
		return err
	}
	index := filepath.Join(r.top, ".git", "worktrees", "target", "index")
	was, err := os.ReadFile(index)
	if err != nil {
		return err
	}
	if err := carryInto(r.top, target); err != nil {
		return err
	}
	if is, err := os.ReadFile(index); err != nil || !bytes.Equal(is, was) {
		return fmt.Errorf("after all of it was taken back the target's index is another one (%w)", err)
	}
	after, err := snapshot.Take(r.top)
	if err != nil {
		return err
	}
	d := slices.DeleteFunc(snapshot.Diff(before, after), func(line string) bool {
		return strings.HasPrefix(line, `"common/worktrees/target/index" changed`) // a file of its own with the same bytes
	})
	back, err := contents(target)
	if len(d) > 0 || err != nil {
		return fmt.Errorf("after all of it was taken back: %v (%w)", d, err)
	}
	if !slices.Equal(there, back) {
		return fmt.Errorf("taken back, the target was %q and is %q", there, back)
	}
	return nil
}

// contents are all files of a worktree, with their modes, times and bytes, and its folders.
func contents(top string) (all []string, err error) {
	err = filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %v", strings.TrimPrefix(name, top), info.Mode())
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %q", info.ModTime().UnixNano(), text)
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := os.Readlink(name)
			if err != nil {
				return err
			}
			line += " -> " + text
		}
		all = append(all, line)
		return nil
	})
	return all, err
}

func carryInto(top, target string) (err error) {
	ctx := context.Background()
	from, err := worktree.Open(ctx, top)
	if err != nil {
		return err
	}
	to, err := worktree.Open(ctx, target)
	if err != nil {
		return err
	}
	plan, err := carry.Look(ctx, from, from.Head, carry.Options{})
	if err != nil {
		return err
	}
	defer plan.Close()
	if err := plan.Against(ctx, to); err != nil {
		return err
	}
	if no := plan.Refused(); no != nil {
		return no
	}
	o, err := carry.Begin(ctx, from, uuid.NewString())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.RollBack(ctx), o.Close(), forget(from.CommonDir)) }()
	result, err := plan.Into(ctx, to, o, nil)
	if err != nil {
		return err
	}
	return unlike(top, target, result)
}

// unlike says in what a target is not its source, less what the result names as left.
func unlike(top, target string, result *carry.Result) error {
	var leave []string
	gone := map[string]bool{} // announced by intent-to-add, and gone from the disk: git has no way to write such an entry
	for _, l := range result.Left {
		gone[l.Path] = gone[l.Path] || l.Reason == "intentToAddGone"
		if l.Reason != "ignored" {
			leave = append(leave, l.Path)
		}
	}
	var errs []error
	for _, d := range compare.Trees(top, target, compare.Options{Index: true, Leave: leave}) {
		if d.Kind == compare.Entry && gone[d.Path] {
			delete(gone, d.Path) // named once, and missing once
			continue
		}
		errs = append(errs, fmt.Errorf("the child is not its parent: %s", d))
	}
	return errors.Join(errs...)
}
