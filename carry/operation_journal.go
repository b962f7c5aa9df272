package carry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/git"
)

// What a line of a journal says. A journal is a file of JSON lines that is only added to; a last line that is torn is
// one whose write had not begun.
const (
	saidBegun      = "begun"
	saidStep       = "step"       // about to be written
	saidMade       = "made"       // the worktree was made and proved
	saidHooks      = "hooks"      // about to run the repository's hooks: they may write anything in the child
	saidRemoving   = "removing"   // what it would lose is stored, and the list of what is removed is on the disk: it can only go on
	saidUndoing    = "undoing"    // the child was looked at and holds nobody's work; from here on it may be half gone
	saidCompleted  = "completed"  // the child is the user's
	saidRolledBack = "rolledBack" // everything is as it was before
	saidKept       = "kept"       // left standing, because it holds something that the operation did not write
)

// said is one line of a journal.
type said struct {
	At     time.Time `json:"at"`
	What   string    `json:"what"`
	Source exact     `json:"source,omitempty"` // of begun: the parent's top level
	Call   string    `json:"call,omitempty"`   // of begun: the operation that this one is a copy of
	Copies []string  `json:"copies,omitempty"` // of a call's begun: its copies' operations; of its completed: those that are the user's
	Step   *Step     `json:"step,omitempty"`
	Entry  exact     `json:"entry,omitempty"` // of made: name in <common>/worktrees
}

// trail is what a journal amounts to.
type trail struct {
	id      string
	source  string
	call    string   // the operation that this one is a copy of; "" for none
	copies  []string // the operations that are copies of this one
	kept    []string // of those, the ones that are the user's
	steps   []Step
	times   []time.Time // when each step was recorded
	entry   string      // "" until made
	hooks   bool
	undoing bool
	removes bool   // the removing has begun
	end     string // completed, rolledBack, kept; "" while neither
	last    time.Time
}

func (t *trail) add(s said) {
	t.last = s.At
	switch s.What {
	case saidBegun:
		t.source, t.call, t.copies = string(s.Source), s.Call, s.Copies
	case saidStep:
		if s.Step != nil {
			t.steps, t.times = append(t.steps, *s.Step), append(t.times, s.At)
		}
	case saidMade:
		t.entry = string(s.Entry)
	case saidHooks:
		t.hooks = true
	case saidRemoving:
		t.removes = true
	case saidUndoing:
		t.undoing = true
	}
	if s.ends() {
		t.end, t.kept = s.What, s.Copies
	}
}

func (s said) ends() bool {
	return s.What == saidCompleted || s.What == saidRolledBack || s.What == saidKept
}

// workspace is the trail's workspace step; nil where it has none.
func (t *trail) workspace() *WorkspaceStep {
	for _, s := range t.steps {
		if s.Workspace != nil {
			return s.Workspace
		}
	}
	return nil
}

// check refuses a journal that this program cannot have written, before anything is removed on its word.
func (t *trail) check(commonDir string) error {
	ws := t.workspace()
	for _, s := range t.steps {
		switch {
		case s.Removal != nil:
			if len(t.steps) != 1 || !s.Removal.isOf(commonDir) {
				return errors.New("a removal that makes no sense")
			}
		case s.Restore != nil:
			if len(t.steps) != 1 || !s.Restore.isOf(commonDir) {
				return errors.New("a restoring that makes no sense")
			}
		case s.Workspace != nil:
			if s.Workspace != ws || !filepath.IsAbs(string(ws.Path)) || !git.ValidBranch(ws.Branch) || !git.IsObjectID(ws.Base) || !ws.ownConfig() {
				return errors.New("a workspace step that makes no sense")
			}
			for _, f := range ws.GitFolders {
				if !filepath.IsLocal(f) {
					return errors.New("a git folder outside the git folder")
				}
			}
		case s.Submodule != nil:
			if !s.Submodule.isIn(ws, commonDir) {
				return errors.New("a submodule outside the child")
			}
		case s.Carry != nil:
			if s.Carry.Fresh && (ws == nil || s.Carry.Target != string(ws.Path) && t.submodule(s.Carry.Target) == nil) {
				return errors.New("a carry into a child that is not the operation's")
			}
			if g := s.Carry.TargetGitDir; !s.Carry.Fresh && g != commonDir && filepath.Dir(g) != filepath.Join(commonDir, "worktrees") && !isStore(commonDir, g) {
				return errors.New("a carry into another repository")
			}
			for _, p := range s.Carry.Paths {
				if !filepath.IsLocal(filepath.FromSlash(string(p.Path))) {
					return errors.New("a carried path outside its target")
				}
			}
		}
	}
	if t.entry != "" && (!filepath.IsLocal(t.entry) || filepath.Base(t.entry) != t.entry) {
		return errors.New("an entry outside " + commonDir)
	}
	return nil
}

// isStore says whether a git folder is where a submodule of one of the repository's worktrees has it.
func isStore(commonDir, gitDir string) bool {
	below, err := filepath.Rel(commonDir, gitDir)
	if err != nil || !filepath.IsLocal(below) {
		return false
	}
	parts := strings.Split(filepath.ToSlash(below), "/")
	if parts[0] == "worktrees" {
		parts = parts[min(2, len(parts)):]
	}
	return len(parts) > 1 && parts[0] == "modules"
}

// isOperationID says whether id can be an operation's: a UUID, since it becomes a file name.
func isOperationID(id string) bool {
	const shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(id) != len(shape) {
		return false
	}
	for i := range len(id) {
		if hex := strings.IndexByte("0123456789abcdefABCDEF", id[i]) >= 0; shape[i] == 'x' && !hex || shape[i] == '-' && id[i] != '-' {
			return false
		}
	}
	return true
}

func operationsFolder(commonDir string) string {
	return filepath.Join(commonDir, "sidefork", "operations")
}

func locksFolder(commonDir string) string { return filepath.Join(commonDir, "sidefork", "locks") }

func journalFile(commonDir, id string) string {
	return filepath.Join(operationsFolder(commonDir), id+".json")
}

// answerFile is what Remember keeps.
func answerFile(commonDir, id string) string {
	return filepath.Join(operationsFolder(commonDir), id+".answer")
}

func operationLock(commonDir, id string) string {
	return filepath.Join(operationsFolder(commonDir), id+".lock")
}

// worktreesLock is held around every adding and removing of a worktree: git's own parallel ones fail now and then.
func worktreesLock(commonDir string) string {
	return filepath.Join(locksFolder(commonDir), "worktrees")
}

// readTrail reads a journal.
func readTrail(commonDir, id string) (*trail, error) {
	text, err := os.ReadFile(journalFile(commonDir, id))
	if err != nil {
		return nil, fmt.Errorf("carry: journal: %w", err)
	}
	t := &trail{id: id}
	for line := range bytes.Lines(text) {
		var s said
		if line[len(line)-1] != '\n' {
			break
		}
		if err := json.Unmarshal(line, &s); err != nil {
			return nil, fmt.Errorf("carry: journal %s: %w", id, err)
		}
		t.add(s)
	}
	return t, nil
}

// readEnd says whether an operation has ended, and when: by the last line of its journal, if that is short.
func readEnd(commonDir, id string) (at time.Time, ended bool) {
	f, err := os.Open(journalFile(commonDir, id))
	if err != nil {
		return time.Time{}, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, false
	}
	tail := make([]byte, min(info.Size(), 1<<10))
	if n, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil || n < len(tail) {
		return time.Time{}, false
	}
	line, whole := bytes.CutSuffix(tail, []byte("\n"))
	begins := bytes.LastIndexByte(line, '\n') + 1
	var s said
	if !whole || begins == 0 || json.Unmarshal(line[begins:], &s) != nil {
		return time.Time{}, false
	}
	return s.At, s.ends()
}

// journal is an open journal and what it amounts to.
type journal struct {
	file journalled
	size int64 // of the lines that were written completely
	trail
}

// journalled is the file of a journal, opened for adding to it.
type journalled interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// say adds a line; lasting, it is on the disk when say returns. After an error the journal is what it was before: half a
// line, or one that may not last, is cut off again, so that a later one can be added.
func (j *journal) say(s said, lasting bool) error {
	s.At = time.Now().UTC()
	line, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("carry: journal: %w", err)
	}
	line = append(line, '\n')
	if _, err = j.file.Write(line); err == nil && lasting {
		err = j.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("carry: journal: %w", errors.Join(err, j.file.Truncate(j.size)))
	}
	j.size += int64(len(line))
	j.add(s)
	return nil
}

// close closes the journal, and where the operation has ended keeps only how, and what stands: outcome may be asked for
// later.
func (j *journal) close(commonDir string) error {
	err := j.file.Close()
	if j.end == "" {
		return err
	}
	var text []byte
	lines := []said{{At: j.last, What: saidBegun, Source: exact(j.source), Call: j.call, Copies: j.copies}}
	if folder := workspaceOf(j.steps); j.end == saidKept && folder != "" {
		stands := Step{Carry: &CarryStep{Target: folder}}
		if r := j.removal(); r != nil {
			stands = Step{Removal: r}
		}
		if w := j.workspace(); w != nil {
			stands = Step{Workspace: &WorkspaceStep{Path: w.Path, Branch: w.Branch, Base: w.Base}}
		}
		lines = append(lines, said{At: j.last, What: saidStep, Step: &stands})
	}
	for _, s := range append(lines, said{At: j.last, What: j.end, Copies: j.kept}) {
		line, e := json.Marshal(s)
		err = errors.Join(err, e)
		text = append(append(text, line...), '\n')
	}
	small := journalFile(commonDir, j.id) + ".new"
	e := os.WriteFile(small, text, 0o644)
	if e == nil {
		e = os.Rename(small, journalFile(commonDir, j.id))
	}
	if e != nil { // the whole journal says how it ended too
		os.Remove(small)
	}
	return errors.Join(err, e)
}
