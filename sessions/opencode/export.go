package opencode

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/sidefork/sidefork/sessions/sqlite"
)

// conversation is a session as `opencode export` writes it and `opencode import` reads it.
type conversation struct {
	Info     map[string]any `json:"info"`
	Messages []message      `json:"messages"`
}

type message struct {
	Info  json.RawMessage   `json:"info"`
	Parts []json.RawMessage `json:"parts"`

	id      string
	created int64
}

// contentLimit bounds a conversation, in bytes.
const contentLimit = 512 << 20

var errTooLong = errors.New("the conversation is longer than 512 MiB")

// export reads a session out of a database, all of it at one moment. What belongs to the parent alone is left out: what
// it is shared as, whose child it is, that it is archived.
func export(ctx context.Context, file, session string) (c conversation, err error) {
	err = sqlite.Read(ctx, file, func(d *sqlite.Database) (err error) {
		c, err = exportFrom(d, session)
		return err
	})
	return c, err
}

func exportFrom(d *sqlite.Database, session string) (c conversation, err error) {
	columns := d.Columns("session")
	if err := d.Where("session", "id", session, columns, func(row []sqlite.Value) bool {
		c.Info = info(columns, row)
		return false
	}); err != nil {
		return c, err
	}
	if c.Info == nil {
		return c, fmt.Errorf("there is no session %s", session)
	}
	left := contentLimit
	parts := map[string][]part{}
	err = d.Where("part", "session_id", session, []string{"id", "message_id", "data"}, func(row []sqlite.Value) bool {
		p := part{id: row[0].String(), of: row[1].String(), data: slices.Clone(row[2].Bytes)}
		parts[p.of] = append(parts[p.of], p)
		left -= len(p.data)
		return left > 0
	})
	if err != nil {
		return c, err
	}
	var broken error
	err = d.Where("message", "session_id", session, []string{"id", "time_created", "data"}, func(row []sqlite.Value) bool {
		m := message{id: row[0].String(), created: row[1].Int, Parts: []json.RawMessage{}}
		if m.Info, broken = with(row[2].Bytes, "id", m.id, "sessionID", session); broken != nil {
			return false
		}
		left -= len(m.Info)
		of := parts[m.id]
		slices.SortFunc(of, func(a, b part) int { return cmp.Compare(a.id, b.id) })
		for _, p := range of {
			var whole json.RawMessage
			if whole, broken = with(p.data, "id", p.id, "sessionID", session, "messageID", m.id); broken != nil {
				return false
			}
			m.Parts = append(m.Parts, whole)
		}
		c.Messages = append(c.Messages, m)
		return left > 0
	})
	if left <= 0 {
		return c, errTooLong
	}
	slices.SortFunc(c.Messages, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	return c, errors.Join(err, broken)
}

type part struct {
	id, of string
	data   []byte
}

// info is a session's row as an export has it. A column that is not known here is left out.
func info(columns []string, row []sqlite.Value) map[string]any {
	cell := func(column string) any {
		i := slices.Index(columns, column)
		if i < 0 {
			return nil
		}
		switch v := row[i]; v.Kind {
		case sqlite.Int:
			return v.Int
		case sqlite.Real:
			return v.Real
		case sqlite.Text:
			return v.String()
		}
		return nil
	}
	found := map[string]any{}
	for column, key := range map[string]string{
		"id": "id", "slug": "slug", "project_id": "projectID", "directory": "directory", "title": "title", "agent": "agent",
		"version": "version", "cost": "cost",
	} {
		if v := cell(column); v != nil {
			found[key] = v
		}
	}
	found["path"] = "" // the child's top level
	for _, column := range []string{"model", "metadata", "revert", "permission"} {
		if text, ok := cell(column).(string); ok && json.Valid([]byte(text)) {
			found[column] = json.RawMessage(text)
		}
	}
	if files := cell("summary_files"); files != nil {
		found["summary"] = map[string]any{
			"additions": cell("summary_additions"), "deletions": cell("summary_deletions"), "files": files,
		}
	}
	found["tokens"] = map[string]any{
		"input": cell("tokens_input"), "output": cell("tokens_output"), "reasoning": cell("tokens_reasoning"),
		"cache": map[string]any{"read": cell("tokens_cache_read"), "write": cell("tokens_cache_write")},
	}
	found["time"] = map[string]any{"created": cell("time_created"), "updated": time.Now().UnixMilli()}
	return found
}

// with adds members to an object, behind its own.
func with(object []byte, pairs ...string) (json.RawMessage, error) {
	if len(object) < 2 || object[0] != '{' || !json.Valid(object) {
		return nil, errors.New("a message of it is no JSON object")
	}
	end := len(object) - 1
	for object[end] != '}' {
		end--
	}
	whole := slices.Clone(object[:end])
	for i := 0; i+1 < len(pairs); i += 2 {
		if len(bytes.TrimSpace(whole)) > 1 {
			whole = append(whole, ',')
		}
		text, err := json.Marshal(pairs[i+1])
		if err != nil {
			return nil, err
		}
		whole = append(append(append(append(whole, '"'), pairs[i]...), `":`...), text...)
	}
	return append(whole, '}'), nil
}

// anID is an id of a session, a message or a part as the whole of a text.
var anID = regexp.MustCompile(`"(?:ses|msg|prt)_[0-9A-Za-z]{26}"`)

// renewed is a conversation as JSON with new ids for the session, its messages and its parts, wherever one of them names
// another, and the new id of the session. The heads stay, so that all sort as before; ids of other sessions stay.
func (c conversation) renewed() (text []byte, session string, err error) {
	old, _ := c.Info["id"].(string)
	ids := map[string]string{old: ""}
	for _, m := range c.Messages {
		ids[m.id] = ""
		for _, p := range m.Parts {
			ids[member(p, "id")] = ""
		}
	}
	if text, err = json.Marshal(c); err != nil {
		return nil, "", err
	}
	renew(ids)
	text = anID.ReplaceAllFunc(text, func(quoted []byte) []byte {
		if id := ids[string(quoted[1:len(quoted)-1])]; id != "" {
			return []byte(`"` + id + `"`)
		}
		return quoted
	})
	return text, ids[old], nil
}

// renew gives each id a new tail. Where two have one head, the order of their tails stays.
func renew(ids map[string]string) {
	byHead := map[string][]string{}
	for id := range ids {
		if len(id) == len("ses_")+head+tail {
			byHead[id[:len(id)-tail]] = append(byHead[id[:len(id)-tail]], id)
		}
	}
	for start, old := range byHead {
		slices.Sort(old)
		tails := make([]string, len(old))
		for i := range tails {
			tails[i] = random()
		}
		slices.Sort(tails)
		for i, id := range old {
			ids[id] = start + tails[i]
		}
	}
}

func random() string {
	chosen := make([]byte, tail)
	_, _ = rand.Read(chosen) // never fails
	for i, b := range chosen {
		chosen[i] = letters[int(b)%len(letters)]
	}
	return string(chosen)
}
