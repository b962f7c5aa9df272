package codex

import (
	"io"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// What is read of a rollout, in bytes. Line 1 has about 22 KB, but id, cwd and source stand in its first 500 bytes.
const (
	firstGlance = 1 << 10
	headPrompt  = 256 << 10 // read on behind line 1 for a first prompt
	headLimit   = 16 << 20  // read on for the end of line 1
	tailLimit   = 64 << 10
)

// textLimit bounds a title or a prompt, in bytes.
const textLimit = 4 << 10

// meta is what line 1 tells.
type meta struct {
	id, cwd, branch string
	forkedFrom      string
	base            string // the session whose rollout holds the start of this one's history
	baseEnd         int64  // up to where, in bytes
	subagent        bool   // it was started by a session, not by a person
	started         time.Time
	source          bool // the line told who started it
	ok              bool // it is the first line of a rollout
}

// parseMeta takes what it can from line 1, which may be cut.
func parseMeta(line []byte) (m meta, whole bool) {
	var isMeta bool
	whole = jsonl.Fields(line, func(key, value []byte) bool {
		switch string(key) {
		case "timestamp":
			m.started = timeOf(value)
		case "type":
			isMeta = string(value) == `"session_meta"`
		case "payload":
			m.payload(value)
		}
		return true
	})
	m.ok = isMeta && agent.IsUUID(m.id) && m.cwd != ""
	return m, whole
}

func (m *meta) payload(payload []byte) {
	jsonl.Fields(payload, func(key, value []byte) bool {
		switch string(key) {
		case "id":
			m.id = jsonl.Text(value, textLimit)
		case "cwd":
			m.cwd = jsonl.Text(value, textLimit)
		case "forked_from_id":
			m.forkedFrom = jsonl.Text(value, textLimit)
		case "source":
			m.source, m.subagent = true, value[0] == '{'
		case "history_base":
			m.base = member(value, "thread_id")
			jsonl.Fields(value, func(key, value []byte) bool {
				if string(key) == "end_byte_offset" {
					m.baseEnd = jsonl.Number(value)
				}
				return true
			})
		case "git":
			m.branch = member(value, "branch")
		}
		return true
	})
}

// member is the text of one member of an object.
func member(object []byte, wanted string) (text string) {
	jsonl.Fields(object, func(key, value []byte) bool {
		if string(key) == wanted {
			text = jsonl.Text(value, textLimit)
			return false
		}
		return true
	})
	return text
}

func timeOf(value []byte) time.Time {
	at, _ := time.Parse(time.RFC3339, jsonl.Text(value, 64))
	return at
}

// glance reads who and where a rollout is: its first kilobyte, and the rest of line 1 only where that does not tell.
func glance(r io.ReaderAt, size int64) (meta, error) {
	start := make([]byte, min(size, firstGlance))
	n, err := r.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return meta{}, err
	}
	if m, whole := parseMeta(start[:n]); m.ok && (m.source || whole) {
		return m, nil
	}
	return firstLine(r, size)
}

// firstLine reads the whole of line 1.
func firstLine(r io.ReaderAt, size int64) (m meta, err error) {
	err = jsonl.Lines(io.NewSectionReader(r, 0, size), headLimit, func(line []byte, _ int64) bool {
		var whole bool
		m, whole = parseMeta(line)
		m.ok = m.ok && whole
		return false
	})
	return m, err
}

// story is what a whole rollout tells.
type story struct {
	meta   // of line 1; not ok where that is damaged
	prompt string
	last   time.Time
	tokens int64 // how large the conversation is by its last answer's record; 0 where that is not known
	work   work
}

// readStory reads line 1, the first prompt and the last time.
func readStory(r io.ReaderAt, size int64) (s story, err error) {
	var event string
	var first int64 // where line 1 ends
	err = jsonl.Lines(io.NewSectionReader(r, 0, size), headLimit, func(line []byte, used int64) bool {
		if first == 0 {
			var whole bool
			s.meta, whole = parseMeta(line)
			s.ok, first = s.ok && whole, used
		}
		item, said := userText(line)
		if item {
			s.prompt = said
		} else if event == "" {
			event = said
		}
		return s.prompt == "" && used-first < headPrompt
	})
	if err != nil {
		return s, err
	}
	if s.prompt == "" {
		s.prompt = event // its item may be damaged, or it was said to a review
	}
	data, whole, err := jsonl.Tail(r, size, tailLimit)
	if err != nil {
		return s, err
	}
	s.end(data, whole)
	if !whole && s.last.IsZero() { // one line longer than the tail
		if data, whole, err = jsonl.Tail(r, size, 16*tailLimit); err == nil {
			s.work = work{}
			s.end(data, whole)
		}
	}
	if whole && s.work.phase == unseen && !s.work.said {
		s.work.phase = over // there was none yet
	}
	return s, err
}

// end takes what a tail tells: the latest time of its whole lines, and how large the conversation is.
func (s *story) end(data []byte, whole bool) {
	jsonl.TailLines(data, whole, func(line []byte) {
		var at time.Time
		var kind, payload []byte
		complete := jsonl.Fields(line, func(key, value []byte) bool {
			switch string(key) {
			case "timestamp":
				at = timeOf(value)
			case "type":
				kind = value
			case "payload":
				payload = value
			}
			return true
		})
		if !complete {
			return
		}
		if at.After(s.last) {
			s.last = at
		}
		s.work.take(kind, payload, at)
		if string(kind) == `"compacted"` {
			s.tokens = 0 // what was said before is no longer sent
		} else if tokens := usage(kind, payload); tokens > 0 {
			s.tokens = tokens
		}
	})
}

// userText is what a person said in a line, and whether the line is the item that the model was sent. What the program
// said in the person's name begins with a tag.
func userText(line []byte) (item bool, said string) {
	var kind, payload []byte
	whole := jsonl.Fields(line, func(key, value []byte) bool {
		switch string(key) {
		case "type":
			kind = value
		case "payload":
			payload = value
		}
		return true
	})
	if !whole {
		return false, ""
	}
	var role, sort, content, message, inner []byte
	jsonl.Fields(payload, func(key, value []byte) bool {
		switch string(key) {
		case "role":
			role = value
		case "type":
			sort = value
		case "content":
			content = value
		case "message":
			message = value
		case "item":
			inner = value
		}
		return true
	})
	switch {
	case string(kind) == `"response_item"` && string(role) == `"user"`:
		item, said = true, firstText(content)
	case string(kind) == `"event_msg"` && string(sort) == `"user_message"`:
		said = jsonl.Text(message, textLimit)
	case string(kind) == `"event_msg"` && string(sort) == `"item_completed"` && member(inner, "type") == "UserMessage":
		jsonl.Fields(inner, func(key, value []byte) bool {
			if string(key) == "content" {
				said = firstText(value)
			}
			return true
		})
	}
	if strings.HasPrefix(said, "<") {
		said = ""
	}
	return item && said != "", said
}

// firstText is the first text among the parts of a message.
func firstText(parts []byte) (text string) {
	jsonl.Items(parts, func(part []byte) bool {
		text = member(part, "text")
		return text == ""
	})
	return text
}
