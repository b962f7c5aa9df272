package carry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/sidefork/sidefork/carry/group"
	"github.com/sidefork/sidefork/carry/worktree"
)

// Operation is a fork or a carry while it runs: everything it writes is recorded in its journal before it is written, and
// the record is all that taking it back needs.
//
//	<common>/sidefork/operations/<id>.json   the journal; once ended, only how it ended
//	<common>/sidefork/operations/<id>.answer what the caller was told, for one that it did not reach
//	<common>/sidefork/operations/<id>.lock   held while it runs; dies with its holder
//	<common>/sidefork/locks/<source>         held while it runs: one operation for each source at a time
//	<common>/sidefork/locks/worktrees        held around the adding and removing of a worktree
//
// The order of calls is Begin, Create, Will…, RunHook, RunSetup, then Keep or RollBack, then always Close.
type Operation struct {
	ID string

	source   worktree.Worktree
	before   *WorkspaceStep // what was there before the call that this is one copy of; nil where it is none
	waits    bool           // of a call: one of its copies has not ended, and Recover must look at it again
	hookFile string         // where the child's post-checkout hook would be; "" until Create
	jobs     []group.Jobs   // what hooks and setup have left running in the child
	answer   []byte

	restoring func(stage string) // a seam of the tests: all is made and proved, and has not its name yet

	mu         sync.Mutex // Will may be called from parallel writers
	journal    *journal
	lock       *lock
	sourceLock *lock
}

// Begin starts an operation on a source. It is the first thing that writes anything: folders and files below
// <common>/sidefork. Refusals: invalidArgument (the id is no uuid, or was used), forkInProgress (another operation of
// this source is running, in whatever process), createFailed and noSpace (the git folder cannot be written).
func Begin(ctx context.Context, source worktree.Worktree, id string) (*Operation, error) {
	return begin(ctx, source, said{}, id)
}

func begin(ctx context.Context, source worktree.Worktree, first said, id string) (*Operation, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if !isOperationID(id) {
		return nil, worktree.Refuse("invalidArgument", "what", "operationId is not a UUID")
	}
	common := source.CommonDir
	for _, folder := range []string{operationsFolder(common), locksFolder(common)} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, cannotCreate(err)
		}
	}
	held, err := tryLock(sourceLock(common, source.GitDir))
	if err != nil {
		return nil, inProgress(err)
	}
	o, err := openOperation(source, first, id)
	if err != nil {
		held.release()
		return nil, err
	}
	o.sourceLock = held
	return o, nil
}

// openOperation takes an operation's lock and begins its journal with the first line.
func openOperation(source worktree.Worktree, first said, id string) (*Operation, error) {
	common := source.CommonDir
	held, err := tryLock(operationLock(common, id))
	if err != nil {
		if errors.Is(err, errLocked) && !nothingAt(journalFile(common, id)) { // it runs, from another source
			return nil, usedBefore()
		}
		return nil, inProgress(err)
	}
	file, err := os.OpenFile(journalFile(common, id), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		held.removeAndRelease()
		if errors.Is(err, os.ErrExist) {
			return nil, usedBefore()
		}
		return nil, cannotCreate(err)
	}
	o := &Operation{ID: id, source: source, lock: held, journal: &journal{file: file, trail: trail{id: id}}}
	first.What, first.Source = saidBegun, exact(source.Path)
	if err := o.journal.say(first, false); err != nil {
		file.Close()
		os.Remove(file.Name())
		held.removeAndRelease()
		return nil, cannotCreate(err)
	}
	return o, nil
}

func usedBefore() *Refusal {
	return worktree.Refuse("invalidArgument", "what", "operationId was used before")
}

func inProgress(err error) error {
	if errors.Is(err, errLocked) {
		return worktree.Refuse("forkInProgress")
	}
	return cannotCreate(err)
}

// cannotCreate says that git, or the system, could not make the workspace.
func cannotCreate(err error) *Refusal {
	no := worktree.Refuse("createFailed")
	if at, ok := errors.AsType[*fs.PathError](err); ok && isNoSpace(err) {
		no = worktree.Refuse("noSpace", "path", at.Path)
	}
	no.Detail = err.Error()
	return no
}

// Will records a step, and is on the disk when it returns: only then may the step be written. It may be called again for
// paths that are written anew with other bytes.
func (o *Operation) Will(step Step) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.journal.end != "" {
		return fmt.Errorf("carry: operation %s has ended", o.ID)
	}
	return o.journal.say(said{What: saidStep, Step: &step}, true)
}

// Keep is the one boundary: from here on the child is the user's, and RollBack does nothing.
func (o *Operation) Keep() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.journal.end != "" {
		return fmt.Errorf("carry: operation %s has ended", o.ID)
	}
	if err := o.journal.say(said{What: saidCompleted}, true); err != nil {
		return err
	}
	for _, step := range o.journal.steps {
		if step.Carry != nil {
			_ = settle(*step.Carry) // what could not be removed lies unseen in the target's git folder
		}
	}
	return nil
}

// sourceLock is held by a sidecar, and by none of the gits that it starts, while an operation of this source runs.
func sourceLock(commonDir, gitDir string) string {
	of := sha256.Sum256([]byte(gitDir))
	return filepath.Join(locksFolder(commonDir), hex.EncodeToString(of[:8]))
}

// RollBack takes back everything that the operation has written, backwards. nil: all is as it was before, or was kept.
// A *Stuck names what stands, either because it could not be removed or because the child holds something that this
// operation did not write; nothing is removed in that case. It may be called again. The caller's context may be
// cancelled: that is why it rolls back. What a hook has left running is ended first. It does not need the disk to have room.
func (o *Operation) RollBack(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.journal.end == saidCompleted || o.journal.end == saidRolledBack {
		return nil
	}
	for _, left := range o.jobs {
		left.End(jobsLimit) // or they would go on writing in what is being removed
	}
	o.jobs = nil
	return undo{common: o.source.CommonDir, journal: o.journal, live: true}.run(context.WithoutCancel(ctx))
}

// Remember keeps the caller's answer with what Close leaves of the operation, for this user alone: it holds a prompt.
func (o *Operation) Remember(answer []byte) { o.answer = answer }

// Close ends the operation: it frees the locks, and leaves of the journal only how the operation ended. An operation
// that was neither kept nor completely rolled back leaves its whole journal, for Recover.
func (o *Operation) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lock == nil {
		return nil
	}
	var err error
	if o.journal.end == "" && len(o.journal.steps) == 0 && !o.waits {
		err = o.journal.say(said{What: saidRolledBack}, false)
	}
	if o.answer != nil && o.journal.end != "" {
		_ = os.WriteFile(answerFile(o.source.CommonDir, o.ID), o.answer, 0o600) // a courtesy: how it ended is in the journal
	}
	err = errors.Join(err, o.journal.close(o.source.CommonDir))
	o.lock.removeAndRelease()
	o.sourceLock.release()
	o.lock, o.sourceLock = nil, nil
	return err
}
