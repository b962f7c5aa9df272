package carry

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// Recovered is what became of an operation whose process died.
type Recovered struct {
	Operation string   // of a copy: the call's
	Workspace string   // the child, or the target of a carry
	Action    string   // rolledBack; finished (a removal, archiving or restoring that had begun); kept, where it holds something that the operation did not write; failed: to be tried again
	Paths     []string // of kept: what it holds, at most a hundred; of failed: what stands
	Err       error    // of failed
}

const saidFailed = "failed"

const remembered = 7 * 24 * time.Hour // how long it is known how an operation ended

// Recover takes back what operations of this repository have left whose process is dead and whose git has ended. It
// never destroys work: a child that holds something which its operation did not write stays, and is named once. What
// can't be taken back for another reason is tried again next time, and is in the error. A repository in which sidefork
// never wrote is not written to.
func Recover(ctx context.Context, commonDir string) ([]Recovered, error) {
	sweepPrivate()
	entries, err := os.ReadDir(operationsFolder(commonDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("carry: recover: %w", err)
	}
	var open, calls, old []string
	for _, e := range entries {
		removeHalf(commonDir, e.Name())
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !isOperationID(id) {
			continue
		}
		if at, ended := readEnd(commonDir, id); ended { // the usual case takes no lock, and reads no more
			if time.Since(at) > remembered {
				old = append(old, id)
			}
			continue
		}
		switch t, err := readTrail(commonDir, id); {
		case err == nil && t.end != "":
		case err == nil && len(t.copies) > 0:
			calls = append(calls, id)
		default:
			open = append(open, id)
		}
	}
	var done []Recovered
	var failures []error
	for _, id := range append(open, calls...) { // how a call has ended its copies say
		if ctx.Err() != nil {
			break
		}
		r, err := recoverOne(ctx, commonDir, id)
		if err != nil {
			failures = append(failures, err)
		}
		if r != nil {
			done = append(done, *r)
		}
	}
	for _, id := range old { // last: a copy may have needed its call's word
		os.Remove(journalFile(commonDir, id))
		os.Remove(answerFile(commonDir, id))
		os.Remove(listingFile(commonDir, id))
		os.Remove(savedReflog(commonDir, id))
		git.ReleaseConfig(filepath.Join(commonDir, "config"), configFile(commonDir, id))
	}
	if ctx.Err() != nil {
		failures = append(failures, context.Cause(ctx))
	}
	return done, errors.Join(failures...)
}

// removeHalf removes a file that a process was about to give its name, or to write a journal beside, when it died.
func removeHalf(commonDir, name string) {
	id, _, _ := strings.Cut(name, ".")
	half := strings.HasSuffix(name, ".new") || strings.HasSuffix(name, ".lock") && nothingAt(journalFile(commonDir, id))
	if !half || !isOperationID(id) {
		return
	}
	if l, err := tryLock(operationLock(commonDir, id)); err == nil {
		if strings.HasSuffix(name, ".new") {
			os.Remove(filepath.Join(operationsFolder(commonDir), name))
		}
		l.removeAndRelease()
	}
}

// orphanLimit bounds the wait for the git of a dead process. What it still holds then is taken back another time.
const orphanLimit = 20 * time.Second

// holderDied says that nobody but a git that outlives its sidecar can have an operation's lock: the source's is free.
func holderDied(commonDir, id string) bool {
	t, err := readTrail(commonDir, id)
	if err != nil {
		return false
	}
	gitDir, linked := worktree.Registered(commonDir)[t.source]
	if !linked {
		gitDir = commonDir
	}
	l, err := tryLock(sourceLock(commonDir, gitDir))
	if err != nil {
		return false
	}
	l.release()
	return true
}

func recoverOne(ctx context.Context, commonDir, id string) (*Recovered, error) {
	held, err := tryLock(operationLock(commonDir, id))
	if errors.Is(err, errLocked) && holderDied(commonDir, id) {
		waiting, stop := context.WithTimeout(ctx, orphanLimit)
		defer stop()
		held, err = waitLock(waiting, operationLock(commonDir, id)) // its git goes on for a moment
	}
	if errors.Is(err, errLocked) || errors.Is(err, context.DeadlineExceeded) {
		return nil, nil // it is running
	}
	if err != nil {
		return nil, err
	}
	defer held.removeAndRelease()
	t, err := readTrail(commonDir, id) // again: it may have ended before we had its lock
	if errors.Is(err, fs.ErrNotExist) || err == nil && t.end != "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j, err := reopen(commonDir, t)
	if err != nil {
		return nil, err
	}
	defer j.close(commonDir)
	switch {
	case j.isKeptByCall(commonDir):
		return nil, j.say(said{What: saidCompleted}, true)
	case len(j.copies) > 0:
		if end := j.endOfCopies(commonDir); end != "" {
			return nil, j.say(said{What: end}, false)
		}
		return nil, nil
	case len(j.steps) == 0:
		return nil, j.say(said{What: saidRolledBack}, false)
	}
	if err := j.check(commonDir); err != nil { // not ours: not a word of it is believed
		return nil, fmt.Errorf("carry: recover %s: %w", id, err)
	}
	r := &Recovered{Operation: cmp.Or(j.call, id), Workspace: workspaceOf(j.steps), Action: saidRolledBack}
	err = undo{common: commonDir, journal: j}.run(context.WithoutCancel(ctx))
	if stuck, ok := errors.AsType[*Stuck](err); ok && stuck.Err == nil {
		r.Action, r.Paths = saidKept, stuck.Paths
		keepLineage(commonDir, t)
		return r, j.say(said{What: saidKept}, true)
	}
	if err == nil && j.end == saidCompleted {
		r.Action = "finished"
	}
	if err != nil {
		r.Action, r.Err = saidFailed, fmt.Errorf("carry: recover %s: %w", id, err)
		if stuck, ok := errors.AsType[*Stuck](err); ok {
			r.Paths = stuck.Paths
		}
	}
	return r, nil
}

// keepLineage lets a child that stays be seen as its parent's: the operation died before it could say so.
func keepLineage(commonDir string, t *trail) {
	ws := t.workspace()
	if ws == nil || t.entry == "" {
		return
	}
	gitDir := filepath.Join(commonDir, "worktrees", t.entry)
	if l, err := worktree.ReadLineage(gitDir); err == nil && l == nil && pointsTo(filepath.Join(string(ws.Path), ".git"), gitDir) {
		_ = worktree.WriteLineage(gitDir, worktree.Lineage{Parent: t.source, Base: ws.Base, Operation: t.id}) // only for display
	}
}

func workspaceOf(steps []Step) string {
	for _, s := range steps {
		switch {
		case s.Removal != nil:
			return string(s.Removal.Path)
		case s.Restore != nil:
			return string(s.Restore.Path)
		case s.Workspace != nil:
			return string(s.Workspace.Path)
		case s.Carry != nil:
			return s.Carry.Target
		}
	}
	return ""
}

// reopen opens a journal for adding to it, without a torn last line.
func reopen(commonDir string, t *trail) (*journal, error) {
	path := journalFile(commonDir, t.id)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("carry: journal: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("carry: journal: %w", err)
	}
	whole := int64(bytes.LastIndexByte(text, '\n') + 1)
	if whole != int64(len(text)) {
		if err := file.Truncate(whole); err != nil {
			file.Close()
			return nil, fmt.Errorf("carry: journal: %w", err)
		}
	}
	return &journal{file: file, size: whole, trail: *t}, nil
}

// Outcome says what became of an operation: running, completed, rolledBack, failed (something of it stands, or stands
// until Recover) or unknownOperation.
func Outcome(commonDir, id string) string {
	if !isOperationID(id) {
		return "unknownOperation"
	}
	if said := ending(commonDir, id); said != "" {
		return said
	}
	if !nothingAt(operationLock(commonDir, id)) {
		l, err := tryLock(operationLock(commonDir, id))
		if errors.Is(err, errLocked) {
			return "running"
		}
		defer l.removeAndRelease()
	}
	if said := ending(commonDir, id); said != "" { // it ended since we looked
		return said
	}
	return "failed"
}

// Settle makes sure that an operation which has not begun will not: its id is used up by a journal that only says how it
// ended. false: it has begun, is about to, or was settled before. Refused is what is no id.
func Settle(source worktree.Worktree, id string) (settled bool, err error) {
	if !isOperationID(id) {
		return false, worktree.Refuse("invalidArgument", "what", "operationId is not a UUID")
	}
	common := source.CommonDir
	if err := os.MkdirAll(operationsFolder(common), 0o755); err != nil {
		return false, cannotCreate(err)
	}
	held, err := tryLock(operationLock(common, id))
	if errors.Is(err, errLocked) {
		return false, nil // it runs, or is about to
	}
	if err != nil {
		return false, cannotCreate(err)
	}
	defer held.removeAndRelease()
	file, err := os.OpenFile(journalFile(common, id), os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, cannotCreate(err)
	}
	j := &journal{file: file, trail: trail{id: id}}
	err = errors.Join(j.say(said{What: saidBegun, Source: exact(source.Path)}, false), j.say(said{What: saidRolledBack}, true), file.Close())
	if err != nil {
		return false, cannotCreate(err)
	}
	return true, nil
}

// Stands is what an operation that failed made and that may be there still, by its journal: the child with its branch, or
// the target of a carry without one. Empty where the journal does not say, or where the folder is gone.
func Stands(commonDir, id string) (folder, branch string) {
	if !isOperationID(id) {
		return "", ""
	}
	t, err := readTrail(commonDir, id)
	if err != nil {
		return "", ""
	}
	for _, id := range t.copies { // the first that stands
		if !isOperationID(id) {
			continue
		}
		if copied, err := readTrail(commonDir, id); err == nil {
			if folder, branch = copied.stands(); folder != "" {
				return folder, branch
			}
		}
	}
	return t.stands()
}

func (t *trail) stands() (folder, branch string) {
	if folder = workspaceOf(t.steps); folder == "" || nothingAt(folder) {
		return "", ""
	}
	if w := t.workspace(); w != nil {
		branch = w.Branch
	}
	return folder, branch
}

// Answer is what was kept by Remember; nil where nothing was, or where it is gone.
func Answer(commonDir, id string) []byte {
	if !isOperationID(id) {
		return nil
	}
	f, err := os.Open(answerFile(commonDir, id))
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longestAnswer))
	if err != nil {
		return nil
	}
	return text
}

const longestAnswer = 64 << 20 // a plan names every file that stays

// ending is Outcome as far as the journal alone says it; "" where the operation runs, or its process died.
func ending(commonDir, id string) string {
	t, err := readTrail(commonDir, id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "unknownOperation"
	case err != nil || t.end == saidKept:
		return "failed"
	}
	return t.end
}
