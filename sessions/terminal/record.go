package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/sessions/agent"
)

// A record is the folder <state>/terminals/<id> (0700), with files of the user's alone (0600):
//
//	record.json  what runs or ran there
//	transcript   what its terminal showed
//	lock         held by the process that records
//	launch.json  the agent to start, with its environment; gone once it was read
//	draft        the text to put into its prompt; gone once it was typed
//
// The id is a UUID; so is what a session of an agent without records of its own is called.

// Record is what a record's file says of the agent on its terminal. Nothing of the agent's arguments or environment is
// kept, which may be secret, but for where its account folder is.
type Record struct {
	ID      string `json:"id"`
	Agent   string `json:"agent"`   // as NameOf says
	Program string `json:"program"` // absolute path
	Cwd     string `json:"cwd"`
	Title   string `json:"title,omitempty"` // what the agent calls its window
	// Account is the variable that names the agent's account folder, as it was; null where it was not set. Only of agents
	// that are known to have one.
	Account   map[string]*string `json:"account,omitempty"`
	StartedAt time.Time          `json:"startedAt"`
	ShownAt   *time.Time         `json:"shownAt,omitempty"` // when the agent had first drawn something
	ActiveAt  time.Time          `json:"activeAt"`          // when it last drew something
	EndedAt   *time.Time         `json:"endedAt,omitempty"`
	Status    *int               `json:"status,omitempty"`  // its exit status, once it has ended
	PID       int                `json:"pid,omitempty"`     // of the process that records; the agent is below it
	Columns   int                `json:"columns,omitempty"` // of its terminal
	Cut       bool               `json:"cut,omitempty"`     // earlier lines of the transcript are gone
	// Native is the session that the agent itself has of this, where that is known: it is the one to be forked.
	Native *agent.ID `json:"native,omitempty"`
	Parent *agent.ID `json:"parent,omitempty"` // the session that its draft is of
}

const (
	recordFile     = "record.json"
	transcriptFile = "transcript"
	lockFile       = "lock"
	launchFile     = "launch.json"
	draftFile      = "draft"
)

// mostRecord bounds the files that are read whole, but for transcripts and launches.
const mostRecord = 64 << 10

// Launch is an agent that Run is to start. The environment is whole: it may be secret and is nowhere but in a file of the
// user's alone that is gone once it was read.
type Launch struct {
	Argv   []string  `json:"argv"`
	Cwd    string    `json:"cwd"`
	Env    []string  `json:"env,omitempty"`    // nil: that of the process that runs it
	Native *agent.ID `json:"native,omitempty"` // as in Record
	Parent *agent.ID `json:"parent,omitempty"`
}

// NewID gives an id for a record.
func NewID() string { return uuid.NewString() }

// Folder is a record's folder below the folder of all.
func Folder(all, id string) string { return filepath.Join(all, id) }

// Prepare makes a record's folder with what Run needs to find there: launch, where it is to start it by itself, and draft,
// where there is one.
func Prepare(all, id string, launch *Launch, draft string) error {
	if !filepath.IsAbs(all) || !agent.IsUUID(id) {
		return fmt.Errorf("terminal: there is no place for a record %s in %q", id, all)
	}
	folder := Folder(all, id)
	if err := os.MkdirAll(all, 0o700); err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("terminal: %w", err)
	}
	if launch != nil {
		text, err := json.Marshal(launch)
		if err == nil {
			err = writeFile(filepath.Join(folder, launchFile), text)
		}
		if err != nil {
			return fmt.Errorf("terminal: prepare a launch: %w", err)
		}
	}
	if draft != "" {
		if err := writeFile(filepath.Join(folder, draftFile), []byte(draft)); err != nil {
			return fmt.Errorf("terminal: prepare a draft: %w", err)
		}
	}
	return nil
}

// TakeLaunch reads the launch that was prepared in a record's folder, and removes it.
func TakeLaunch(folder string) (Launch, error) {
	path := filepath.Join(folder, launchFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return Launch{}, err
	}
	var l Launch
	if err := errors.Join(os.Remove(path), json.Unmarshal(text, &l)); err != nil {
		return Launch{}, fmt.Errorf("terminal: read %s: %w", path, err)
	}
	if len(l.Argv) == 0 {
		return Launch{}, fmt.Errorf("terminal: %s names no program", path)
	}
	return l, nil
}

// Untyped is the draft that waits in a record's folder; "" for none.
func Untyped(folder string) string {
	text, _ := os.ReadFile(filepath.Join(folder, draftFile))
	return string(text)
}

// DraftPath is where an untyped draft is.
func DraftPath(folder string) string { return filepath.Join(folder, draftFile) }

// Read reads a record and says whether its agent runs.
func Read(all, id string) (Record, agent.State, error) {
	if !agent.IsUUID(id) || !filepath.IsAbs(all) {
		return Record{}, agent.Unknown, fmt.Errorf("terminal: %q is no id of a record: %w", id, fs.ErrNotExist)
	}
	path := filepath.Join(Folder(all, id), recordFile)
	info, err := os.Lstat(path)
	if err != nil {
		return Record{}, agent.Unknown, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostRecord {
		return Record{}, agent.Unknown, fmt.Errorf("terminal: %s is no record", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Record{}, agent.Unknown, err
	}
	var r Record
	if err := json.Unmarshal(text, &r); err != nil {
		return Record{}, agent.Unknown, fmt.Errorf("terminal: read %s: %w", path, err)
	}
	if r.ID != id || !ValidName(r.Agent) || !filepath.IsAbs(r.Cwd) {
		return Record{}, agent.Unknown, fmt.Errorf("terminal: %s is not the record of %s", path, id)
	}
	return r, held(filepath.Join(Folder(all, id), lockFile)), nil
}

// Transcript is what a record's terminal showed, or shows.
func Transcript(all, id string) (string, error) {
	text, err := os.ReadFile(filepath.Join(Folder(all, id), transcriptFile))
	if err != nil {
		return "", fmt.Errorf("terminal: read the transcript of %s: %w", id, err)
	}
	return string(text), nil
}

// List gives the sessions of records whose folder lies in one of tops, all of them for nil, and what could not be read. A
// record of which the agent has a session of its own is left out where listed says that this one is known.
func List(all string, tops []string, listed func(agent.ID) bool) (found []agent.Session, problems []agent.Problem) {
	if all == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(all)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, []agent.Problem{{Source: all, Message: err.Error()}}
	}
	for _, entry := range entries {
		if !agent.IsUUID(entry.Name()) {
			continue
		}
		r, state, err := Read(all, entry.Name())
		switch {
		case errors.Is(err, fs.ErrNotExist): // prepared and not begun, or just deleted
		case err != nil:
			problems = append(problems, agent.Problem{Source: Folder(all, entry.Name()), Message: err.Error()})
		case !agent.WithinAny(tops, r.Cwd), r.Native != nil && listed(*r.Native):
		default:
			found = append(found, session(all, r, state))
		}
	}
	return found, problems
}

// Find gives the session of one record. The error is fs.ErrNotExist where there is none of this agent.
func Find(all string, id agent.ID) (agent.Session, error) {
	r, state, err := Read(all, id.ID)
	if err == nil && r.Agent != id.Agent {
		err = fs.ErrNotExist
	}
	if err != nil {
		return agent.Session{}, err
	}
	return session(all, r, state), nil
}

// session is a record as a session.
func session(all string, r Record, state agent.State) agent.Session {
	s := agent.Session{
		ID: agent.ID{Agent: r.Agent, ID: r.ID}, Title: r.Title, Cwd: r.Cwd, StartedAt: r.StartedAt, LastActivity: r.ActiveAt, State: state,
		Source: filepath.Join(Folder(all, r.ID), transcriptFile), Parent: r.Parent, Recorded: true,
	}
	if state == agent.Live {
		s.PID = r.PID
	}
	if info, err := os.Stat(s.Source); err != nil || info.Size() <= 1 {
		s.NotForkable = agent.Refuse("sessionEmpty", "id", r.ID)
	}
	return s
}

// Sweep deletes the records that nothing has been drawn on for longer than age and whose agent has ended. A folder that is
// not a record's is left alone.
func Sweep(all string, age time.Duration) {
	if !filepath.IsAbs(all) {
		return
	}
	entries, _ := os.ReadDir(all) // none: nothing to delete
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !agent.IsUUID(entry.Name()) || !info.IsDir() {
			continue
		}
		folder := Folder(all, entry.Name())
		last := info.ModTime()
		if r, _, err := Read(all, entry.Name()); err == nil && r.ActiveAt.After(last) {
			last = r.ActiveAt
		}
		if time.Since(last) < age || held(filepath.Join(folder, lockFile)) == agent.Live {
			continue
		}
		for _, name := range []string{draftFile, launchFile, transcriptFile, recordFile, lockFile} {
			_ = os.Remove(filepath.Join(folder, name))
		}
		_ = os.Remove(folder) // not with something else in it
	}
}
