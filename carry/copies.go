package carry

import (
	"context"
	"errors"
	"slices"

	"github.com/sidefork/sidefork/carry/worktree"
)

// Copies is one call that makes several children of one source. The source is locked once, for the whole call; each child
// is an Operation of its own, whole or gone on its own. They become the user's together: one line in the call's journal
// says of which that is true, so that a process which dies in the middle of it leaves nothing in between.
//
// The order of calls is BeginCopies, those of Each up to Keep or RollBack, then Keep with the ones that stand, then always
// Close. Each may be used by a goroutine of its own.
type Copies struct {
	Each []*Operation // in the order of the requests
	call *Operation   // has no step
}

// CopyRequest is a child of a call, and the id of its own operation.
type CopyRequest struct {
	ID string
	CreateRequest
}

// BeginCopies is Begin for a call that makes several children. Refusals: those of Begin, invalidName.
func BeginCopies(ctx context.Context, source worktree.Worktree, id string, requests []CopyRequest) (*Copies, error) {
	var ids []string
	for _, r := range requests {
		ids = append(ids, r.ID)
	}
	call, err := begin(ctx, source, said{Copies: ids}, id)
	if err != nil {
		return nil, err
	}
	c := &Copies{call: call}
	for _, r := range requests {
		o, err := openOperation(source, said{Call: id}, r.ID)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.Each = append(c.Each, o)
		// What is not there before any of them goes with the last one that is taken back, whichever that is.
		path, err := worktree.Physical(r.Path)
		if err != nil {
			return nil, errors.Join(cannotCreate(err), c.Close())
		}
		o.before = stepFor(source.CommonDir, path, r.CreateRequest)
	}
	return c, nil
}

// Keep is the one boundary: from here on these children are the user's, all of them. The others have been rolled back.
func (c *Copies) Keep(standing []*Operation) error {
	var ids []string
	for _, o := range standing {
		ids = append(ids, o.ID)
	}
	c.call.mu.Lock()
	defer c.call.mu.Unlock()
	if err := c.call.journal.say(said{What: saidCompleted, Copies: ids}, true); err != nil {
		return err
	}
	for _, o := range standing {
		_ = o.Keep() // what could not be said is known by the call's word
	}
	return nil
}

// Remember keeps the caller's answer, as Operation.Remember does.
func (c *Copies) Remember(answer []byte) { c.call.Remember(answer) }

// Close ends the operations and the call. One of which a child could not be taken back completely stays open, for Recover.
func (c *Copies) Close() error {
	var err error
	for _, o := range c.Each {
		err = errors.Join(err, o.Close())
		c.call.waits = c.call.waits || o.journal.end == ""
	}
	return errors.Join(err, c.call.Close())
}

// isKeptByCall says whether the call that a copy belongs to has made it the user's.
func (t *trail) isKeptByCall(commonDir string) bool {
	if !isOperationID(t.call) {
		return false
	}
	call, err := readTrail(commonDir, t.call)
	return err == nil && call.end == saidCompleted && slices.Contains(call.kept, t.id)
}

// endOfCopies is how a call has ended whose process died before it said so; "" while one of its copies has not ended.
func (t *trail) endOfCopies(commonDir string) string {
	end := saidRolledBack
	for _, id := range t.copies {
		if !isOperationID(id) {
			continue
		}
		copied, err := readTrail(commonDir, id)
		switch {
		case err != nil: // it had not begun
		case copied.end == "":
			return ""
		case copied.end == saidKept:
			end = saidKept
		}
	}
	return end
}

// Copy is a plan of its own for another child, from the same look: Into changes the plan that it writes. Close it before
// the plan that it was made of.
func (p *Plan) Copy() *Plan {
	c := *p
	c.borrowed = true
	c.Files, c.Left = slices.Clone(p.Files), slices.Clone(p.Left)
	c.disk, c.named = make([]*item, 0, len(p.disk)), make(map[string]*item, len(p.disk))
	for _, it := range p.disk {
		again := *it
		c.disk, c.named[it.path] = append(c.disk, &again), &again
	}
	c.subs = nil
	for _, s := range p.subs {
		again := *s
		again.plan = s.plan.Copy()
		c.subs = append(c.subs, &again)
	}
	return &c
}
