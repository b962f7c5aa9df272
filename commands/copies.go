package commands

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/commands/locales"
)

// Several children of one source in one call: decided and looked at once, then each made, proved and set up by itself. One
// that fails is taken back, and the others stand. They become the user's all at once when the last one is ready: until then
// a cancel takes all of them back.
//
// A child that is to be kept without the changes, should they not come, is the same: it is taken back, and made once more.

// numbered is the name of a call's copy, or its folder: NAME-1, NAME-2, …
func numbered(name string, i int) string { return name + "-" + strconv.Itoa(i+1) }

// maxCopies is how many children one call can make.
const maxCopies = 16

// copyNames are the names of that many children, or their folders: the name itself for one.
func copyNames(name string, copies int) []string {
	if copies == 1 {
		return []string{name}
	}
	var names []string
	for i := range copies {
		names = append(names, numbered(name, i))
	}
	return names
}

// checkNames gives the names of that many children, and refuses one that cannot be a new branch.
func checkNames(ctx context.Context, parent worktree.Worktree, name string, copies int) ([]string, error) {
	if copies > 1 && strings.HasSuffix(name, "/") { // with a number it would be a name
		return nil, refuse("invalidName", "name", name)
	}
	names := copyNames(name, copies)
	return names, checkName(ctx, parent, names...)
}

// choosePlaces finds a place for each child that is asked for.
func choosePlaces(ctx context.Context, env *Env, parent worktree.Worktree, family []worktree.Worktree, p ForkParams) ([]place, error) {
	names, err := checkNames(ctx, parent, p.Name, p.Copies)
	if err != nil {
		return nil, err
	}
	dirs := make([]string, p.Copies)
	if p.Dir != "" {
		dirs = copyNames(p.Dir, p.Copies)
	}
	var places []place
	for i, name := range names {
		there, err := choosePlace(ctx, env, parent, family, name, dirs[i])
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(places, func(other place) bool { return other.folder == there.folder }) { // a pattern without {name}
			return nil, refuse("folderTaken", "path", there.folder)
		}
		places = append(places, there)
	}
	return places, nil
}

// mayKeep says whether a child is to be made once more, without the changes, where they could not be brought.
func (d *decision) mayKeep(p ForkParams) bool { return p.OnCarryFailure == "keep" && d.plan != nil }

// notCarried is the failure of a child that stands, into which the changes could not be brought.
type notCarried struct{ error }

func (n notCarried) Unwrap() error { return n.error }

// forkCopies is forkSession for several children, and for those that may be made twice.
func forkCopies(ctx context.Context, env *Env, p ForkParams, d *decision, progress Progress) (result *ForkResult, err error) {
	var requests []carry.CopyRequest
	ask := func() {
		for _, it := range d.children {
			requests = append(requests, carry.CopyRequest{ID: uuid.NewString(), CreateRequest: createRequest(it.place, d.base.oid, nil)})
		}
	}
	ask()
	if d.mayKeep(p) {
		ask()
	}
	undo, err := carry.BeginCopies(ctx, d.parent, p.OperationID, requests)
	if err != nil {
		return nil, err
	}
	defer undo.Close()
	defer func() { remember(ctx, undo, result, err) }()
	made, failed := makeCopies(ctx, env, p, d, undo, progress)
	if ctx.Err() != nil { // the last moment at which a cancel still takes everything back
		for i := range made {
			if made[i] != nil {
				made[i], failed[i] = nil, takenBack(ctx, made[i].undo, context.Cause(ctx))
			}
		}
	}
	var standing []*carry.Operation
	for _, m := range made {
		if m != nil {
			standing = append(standing, m.undo)
		}
	}
	if len(standing) == 0 {
		return nil, allFailed(failed)
	}
	if err := undo.Keep(standing); err != nil {
		for i, m := range made {
			if m != nil {
				failed[i] = takenBack(ctx, m.undo, err)
			}
		}
		return nil, allFailed(failed)
	}
	if p.Copies == 1 {
		result = made[0].handOver(ctx, env, p, d)
		result.Warnings = append(append([]Warning{}, d.warnings...), result.Warnings...)
		return result, nil
	}
	result = &ForkResult{Status: "completed", Warnings: append([]Warning{}, d.warnings...)}
	for i, m := range made {
		one := ForkCopy{Name: d.children[i].place.branch, Error: failed[i]}
		if m != nil {
			one.ForkResult = m.handOver(ctx, env, p, d)
		}
		result.Copies = append(result.Copies, one)
	}
	return result, nil
}

// makeCopies makes the children, a few at once; git makes their worktrees one after the other. Of each there is a child that stands, or why there is none.
func makeCopies(ctx context.Context, env *Env, p ForkParams, d *decision, undo *carry.Copies, progress Progress) ([]*madeChild, []*Failure) {
	made, failed := make([]*madeChild, len(d.children)), make([]*Failure, len(d.children))
	all := &together{to: progress, words: env.Language().Text(locales.Word("%d of %d copies are done")), percents: make([]int, len(d.children)), stages: map[Stage]bool{}}
	var g errgroup.Group
	g.SetLimit(max(2, min(8, runtime.GOMAXPROCS(0))))
	for i, it := range d.children {
		g.Go(func() error {
			attempts := []*carry.Operation{undo.Each[i]}
			if d.mayKeep(p) {
				attempts = append(attempts, undo.Each[len(d.children)+i])
			}
			made[i], failed[i] = makeCopy(ctx, env, p, d, it, attempts, all.one(i))
			all.ended(i)
			return nil
		})
	}
	_ = g.Wait() // each says for itself what became of it
	return made, failed
}

// makeCopy makes one child, or takes it back. A second attempt is for one without the changes, where those did not come.
func makeCopy(ctx context.Context, env *Env, p ForkParams, d *decision, it childPlan, attempts []*carry.Operation, progress Progress) (made *madeChild, failed *Failure) {
	undo := attempts[0]
	defer func() {
		if r := recover(); r != nil { // no other call, and no other copy, ends by a mistake of ours
			env.log().Error("panic", zap.Any("value", r), zap.ByteString("stack", debug.Stack()))
			failed = takenBack(ctx, undo, fmt.Errorf("%v", r))
			made, failed.Effect = nil, Uncertain
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, takenBack(ctx, undo, context.Cause(ctx))
	}
	var changes *carry.Plan
	if d.plan != nil {
		changes = d.plan.Copy()
		defer changes.Close()
	}
	made, err := makeChild(ctx, env, p, d, it, changes, undo, progress)
	if err == nil {
		return made, nil
	}
	failed = takenBack(ctx, undo, err)
	if _, standing := errors.AsType[notCarried](err); !standing || len(attempts) == 1 || failed.Effect != RolledBack || ctx.Err() != nil {
		return nil, failed
	}
	why := failed.Reason
	undo = attempts[1]
	if made, err = makeChild(ctx, env, p, d, it, nil, undo, progress); err != nil {
		return nil, takenBack(ctx, undo, err)
	}
	made.without = []Warning{warning("changesLeft", failed.Detail, "why", strings.TrimSuffix(why.Message, "."))}
	return made, nil
}

func takenBack(ctx context.Context, undo *carry.Operation, err error) *Failure {
	return failureOf(rollBack(ctx, undo, err))
}

// allFailed is the failure of a call that has made nothing: that of the first copy, with what the worst has left.
func allFailed(each []*Failure) *Failure {
	all := *each[0]
	for _, f := range each {
		if rank(f.Effect) > rank(all.Effect) {
			all = *f
		}
	}
	return &all
}

func rank(e Effect) int { return slices.Index([]Effect{Nothing, RolledBack, Kept, Uncertain}, e) }

// together tells of several children as of one: a stage when the first of them reaches it, the percentage of all.
type together struct {
	to       Progress
	words    string // "%d of %d copies are done"
	mu       sync.Mutex
	percents []int
	stages   map[Stage]bool
	done     int
}

func (t *together) one(i int) Progress { return copyProgress{t, i} }

func (t *together) ended(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	t.report(i, 95, "")
}

// report tells how far all of them are; of one, in its own words. t.mu is held.
func (t *together) report(i, percent int, words string) {
	if len(t.percents) > 1 {
		words = fmt.Sprintf(t.words, t.done, len(t.percents))
	}
	t.to.Report(t.with(i, percent), words)
}

func (t *together) with(i, percent int) int {
	t.percents[i] = max(t.percents[i], percent)
	sum := 0
	for _, p := range t.percents {
		sum += p
	}
	return sum / len(t.percents)
}

type copyProgress struct {
	*together
	i int
}

func (o copyProgress) Stage(operationID string, stage Stage, percent int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stages[stage] {
		o.report(o.i, percent, "")
		return
	}
	o.stages[stage] = true
	o.to.Stage(operationID, stage, o.with(o.i, percent))
}

func (o copyProgress) Report(percent int, words string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.report(o.i, percent, words)
}
