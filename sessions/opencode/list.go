package opencode

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
	"github.com/sidefork/sidefork/sessions/seen"
	"github.com/sidefork/sidefork/sessions/sqlite"
)

// textLimit bounds a title or a prompt, in bytes.
const textLimit = 4 << 10

// list gives the sessions of tops; those that another session started are left out.
func list(ctx context.Context, m *seen.Memory, homes agent.Homes, tops []string) ([]agent.Session, []agent.Problem) {
	for _, home := range homes.All() {
		m.Notice(home, filepath.Base(database(home)), filepath.Base(database(home))+"-wal")
	}
	return read(ctx, homes, func(s agent.Session) bool {
		return agent.WithinAny(tops, s.Cwd) && (s.NotForkable == nil || s.NotForkable.Code != "sessionSubagent")
	})
}

func find(ctx context.Context, homes agent.Homes, id string) ([]agent.Session, []agent.Problem) {
	return read(ctx, homes, func(s agent.Session) bool { return s.ID.ID == id })
}

// read gives the sessions that are wanted, of every home that has a database.
func read(ctx context.Context, homes agent.Homes, wanted func(agent.Session) bool) (sessions []agent.Session, problems []agent.Problem) {
	for _, home := range homes.All() {
		var found []agent.Session
		var damage error
		err := sqlite.Read(ctx, database(home), func(d *sqlite.Database) error {
			found, damage = sessionsOf(d, wanted)
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err = errors.Join(err, damage); err != nil {
			problems = append(problems, agent.Problem{Source: database(home), Message: err.Error()})
		}
		state := agent.Ended
		if len(found) > 0 && inUse(home) {
			state = agent.Unknown
		}
		for _, s := range found {
			s.Home, s.DefaultHome, s.Source, s.State = home, home == homes.Default, database(home), state
			sessions = append(sessions, s)
		}
	}
	return sessions, problems
}

// inUse says whether some process has a home's database open, or may have: any session may be open in it, and opencode
// says nowhere which.
func inUse(home string) bool {
	pids, known := holders(home)
	return !known || len(pids) > 0
}

func holders(home string) (pids []int, known bool) {
	physical, err := filepath.EvalSymlinks(database(home))
	if err != nil {
		return nil, false
	}
	return agent.Holders(physical)
}

// sessionsOf gives the sessions that are wanted, and what could not be read.
func sessionsOf(d *sqlite.Database, wanted func(agent.Session) bool) (sessions []agent.Session, err error) {
	columns := []string{"id", "parent_id", "directory", "title", "time_created", "time_updated"}
	if !d.Has("session", columns...) || !d.Has("message", "id", "session_id", "data") || !d.Has("part", "message_id", "data") {
		return nil, errors.New("it has not the tables that opencode 1.18 has")
	}
	err = d.Scan("session", columns, func(row []sqlite.Value) bool {
		id := row[0].String()
		s := agent.Session{
			ID: agent.ID{Agent: name, ID: id}, Title: short(row[3].String()), Cwd: row[2].String(),
			StartedAt: moment(row[4]), LastActivity: moment(row[5]),
		}
		if strings.HasPrefix(s.Title, "New session - ") {
			s.Title = "" // nothing was said yet that it could be called after
		}
		if row[1].Kind == sqlite.Text {
			s.NotForkable = agent.Refuse("sessionSubagent", "id", id)
		}
		if validID(id) && wanted(s) {
			sessions = append(sessions, s)
		}
		return true
	})
	damage := []error{err}
	for i := range sessions {
		s := &sessions[i]
		prompt, said, err := firstPrompt(d, s.ID.ID)
		s.FirstPrompt = prompt
		switch {
		case s.NotForkable != nil:
		case err != nil:
			s.NotForkable = agent.Refuse("sessionBroken", "id", s.ID.ID, "what", err.Error())
		case !said:
			s.NotForkable = agent.Refuse("sessionEmpty", "id", s.ID.ID)
		}
		damage = append(damage, err)
	}
	return sessions, errors.Join(damage...)
}

func moment(v sqlite.Value) time.Time {
	if v.Int <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(v.Int).UTC()
}

func short(text string) string { return text[:min(len(text), textLimit)] }

// firstPrompt is the text of a session's first message of a person, and whether there is such a message.
func firstPrompt(d *sqlite.Database, session string) (text string, said bool, err error) {
	var message string
	err = d.Where("message", "session_id", session, []string{"id", "data"}, func(row []sqlite.Value) bool {
		if said = member(row[1].Bytes, "role") == "user"; said {
			message = row[0].String()
		}
		return !said
	})
	if err != nil || !said {
		return "", said, err
	}
	var texts []sqlite.Value
	err = d.Where("part", "message_id", message, []string{"id", "data"}, func(row []sqlite.Value) bool {
		if member(row[1].Bytes, "type") == "text" {
			texts = append(texts, sqlite.Value{Bytes: slices.Clone(row[1].Bytes)})
		}
		return len(texts) == 0
	})
	for _, t := range texts {
		text = member(t.Bytes, "text")
	}
	return strings.Trim(text, `"`), true, err // opencode run puts a prompt of several words into quotes
}

// member is the text of one member of an object.
func member(object []byte, wanted string) (text string) {
	jsonl.Fields(object, func(key, value []byte) bool {
		if string(key) == wanted {
			text = jsonl.Text(value, textLimit)
		}
		return text == ""
	})
	return text
}
