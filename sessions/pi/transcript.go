package pi

import (
	"io"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/jsonl"
)

// What is read of a session's file, in bytes. Line 1 has about 150.
const (
	headPrompt = 1 << 20 // read on for a first prompt
	tailLimit  = 128 << 10
)

// textLimit bounds a title or a prompt, in bytes.
const textLimit = 4 << 10

// transcript is what the head and the tail of a session's file tell.
type transcript struct {
	id, cwd, parent string // of line 1; parent is a file's path
	title, prompt   string // the last title, the first prompt
	started, last   time.Time
	headed          bool // line 1 is the start of a session, as pi wants it
	talk            bool // a message is there
	first           bool // line 1 was seen
}

// read takes what it needs from a file of size bytes; of one that has no sound line 1 nothing more.
func read(r io.ReaderAt, size int64) (t transcript, err error) {
	err = jsonl.Lines(io.NewSectionReader(r, 0, size), headPrompt, func(line []byte, _ int64) bool {
		if !t.first {
			t.first = true
			t.header(line)
			return t.headed
		}
		t.add(line, false)
		return t.prompt == ""
	})
	if err != nil || !t.headed {
		return t, err
	}
	data, whole, err := jsonl.Tail(r, size, tailLimit)
	if err != nil {
		return t, err
	}
	jsonl.TailLines(data, whole, func(line []byte) { t.add(line, true) })
	return t, nil
}

func (t *transcript) header(line []byte) {
	var kind, id, cwd, parent, stamp []byte
	whole := jsonl.Fields(line, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			kind = value
		case "id":
			id = value
		case "cwd":
			cwd = value
		case "parentSession":
			parent = value
		case "timestamp":
			stamp = value
		}
		return true
	})
	t.id, t.cwd, t.parent = jsonl.Text(id, textLimit), jsonl.Text(cwd, textLimit), jsonl.Text(parent, textLimit)
	t.started = timeOf(stamp)
	t.headed = whole && string(kind) == `"session"` && t.id != ""
}

// add takes what a line tells. late: it is one of the tail, where a prompt need not be the first.
func (t *transcript) add(line []byte, late bool) {
	var kind, message, stamp, title []byte
	whole := jsonl.Fields(line, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			kind = value
		case "message":
			message = value
		case "timestamp":
			stamp = value
		case "name":
			title = value
		}
		return true
	})
	if !whole {
		return // pi passes over it too
	}
	switch string(kind) {
	case `"session_info"`:
		t.title = strings.TrimSpace(jsonl.Text(title, textLimit)) // an empty one takes the title away
	case `"message"`:
		t.talk = true
		if at := timeOf(stamp); at.After(t.last) {
			t.last = at
		}
		if t.prompt == "" && !late {
			t.prompt = prompt(message)
		}
	}
}

func timeOf(value []byte) time.Time {
	at, _ := time.Parse(time.RFC3339, jsonl.Text(value, 64))
	return at
}

// prompt is the text of a user's message.
func prompt(message []byte) (text string) {
	var role, content []byte
	jsonl.Fields(message, func(name, value []byte) bool {
		switch string(name) {
		case "role":
			role = value
		case "content":
			content = value
		}
		return true
	})
	if string(role) != `"user"` {
		return ""
	}
	text = jsonl.Text(content, textLimit)
	jsonl.Items(content, func(part []byte) bool {
		jsonl.Fields(part, func(name, value []byte) bool {
			if string(name) == "text" {
				text = jsonl.Text(value, textLimit)
			}
			return true
		})
		return text == ""
	})
	return text
}
