package claude

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/jsonl"
)

// What is read of a transcript, in bytes. The first prompt begins in the first kilobyte, but its line may be megabytes
// long, with the cwd at its end; the last title and time lie near the end, behind a line of up to 63 KB.
const (
	headWanted = 64 << 10  // always read, for what is only in copied lines
	headPrompt = 1 << 20   // read on for a first prompt
	headLimit  = 16 << 20  // read on for the first message and its cwd
	tailLimit  = 128 << 10 // all that is read of a file up to that size
)

// textLimit bounds a title or a prompt, in bytes.
const textLimit = 4 << 10

// transcript is what the head and the tail of a session's file tell.
type transcript struct {
	cwd, prompt   string // the first ones
	branch        string // the last one
	custom, ai    string // the last title of each kind
	parent        string // the last session that a copied line names: a fork keeps the lines of all its ancestors
	lastCwd       string
	started, last time.Time
	tokens        int64 // how large the conversation is by its last answer's record; 0 where that is not known
	talk          bool  // a whole message is there: Claude Code can resume it
	subagent      bool  // a subagent's message is there
	damaged       bool  // a line is there that is no object

	late bool // the tail is being read: what is first in it is not first in the file
}

// read takes what it needs from a transcript of size bytes.
func read(r io.ReaderAt, size int64) (transcript, error) {
	var t transcript
	if size > tailLimit {
		err := jsonl.Lines(io.NewSectionReader(r, 0, size), headLimit, func(line []byte, used int64) bool {
			t.add(line)
			enough := t.cwd != "" && t.talk && used >= headWanted
			return !enough || t.prompt == "" && used < headPrompt
		})
		if err != nil {
			return t, err
		}
		t.late, t.tokens = true, 0
	}
	data, whole, err := jsonl.Tail(r, size, tailLimit)
	if err != nil {
		return t, err
	}
	seen := t.last
	t.last = time.Time{}
	cut := jsonl.TailLines(data, whole, t.add)
	if t.last.IsZero() {
		t.last = lastStamp(cut)
	}
	if t.last.Before(seen) {
		t.last = seen // the clock went back
	}
	return t, nil
}

// add takes what a line tells. Unknown types and members are passed over.
func (t *transcript) add(line []byte) {
	var kind, subtype, message, cwd, branch, stamp, title, asked, forked []byte
	var side, meta bool
	whole := jsonl.Fields(line, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			kind = value
		case "subtype":
			subtype = value
		case "message":
			message = value
		case "cwd":
			cwd = value
		case "gitBranch":
			branch = value
		case "timestamp":
			stamp = value
		case "customTitle", "aiTitle":
			title = value
		case "requestSessionId":
			asked = value
		case "forkedFrom":
			forked = value
		case "isSidechain":
			side = string(value) == "true"
		case "isMeta", "isCompactSummary":
			meta = meta || string(value) == "true"
		}
		return true
	})
	if !whole {
		t.damaged = true
		return
	}
	t.seen(stamp)
	switch string(kind) {
	case `"custom-title"`:
		t.custom = jsonl.Text(title, textLimit)
	case `"ai-title"`:
		t.ai = jsonl.Text(title, textLimit)
	case `"system"`:
		if string(subtype) == `"compact_boundary"` {
			t.tokens = 0 // what was said before is no longer sent
		}
	case `"user"`, `"assistant"`:
		if side {
			t.subagent = true
			return
		}
		t.talk = t.talk || json.Valid(line)
		if tokens := usage(message); tokens > 0 {
			t.tokens = tokens
		}
	}
	if t.talk && !t.late && !meta && t.prompt == "" && string(kind) == `"user"` {
		t.prompt = prompt(message)
	}
	if folder := jsonl.Text(cwd, textLimit); folder != "" {
		t.lastCwd = folder
		if t.cwd == "" && !t.late {
			t.cwd = folder
		}
	}
	if name := jsonl.Text(branch, textLimit); name != "" {
		t.branch = name
	}
	jsonl.Fields(forked, func(name, value []byte) bool {
		if string(name) == "sessionId" {
			asked = value
		}
		return true
	})
	if id := jsonl.Text(asked, textLimit); id != "" {
		t.parent = id
	}
}

// seen takes a line's time.
func (t *transcript) seen(stamp []byte) {
	at := timeOf(stamp)
	if at.IsZero() {
		return
	}
	if t.started.IsZero() && !t.late {
		t.started = at
	}
	if at.After(t.last) {
		t.last = at
	}
}

func timeOf(stamp []byte) time.Time {
	at, _ := time.Parse(time.RFC3339, jsonl.Text(stamp, 64))
	return at
}

// prompt is the text of a user's message, "" for what the program wrote in the user's name: results of tools, commands
// and their output.
func prompt(message []byte) (text string) {
	jsonl.Fields(message, func(name, value []byte) bool {
		if string(name) != "content" {
			return true
		}
		text = jsonl.Text(value, textLimit)
		jsonl.Items(value, func(part []byte) bool {
			var kind string
			var said []byte
			jsonl.Fields(part, func(name, value []byte) bool {
				switch string(name) {
				case "type":
					kind = jsonl.Text(value, 64)
				case "text":
					said = value
				}
				return true
			})
			if kind == "tool_result" {
				text = ""
				return false
			}
			if kind == "text" && text == "" {
				text = jsonl.Text(said, textLimit)
			}
			return true
		})
		return false
	})
	for _, own := range []string{"<command-", "<local-command-", "<bash-input>", "<bash-stdout>", "<system-reminder>"} {
		if strings.HasPrefix(text, own) {
			return ""
		}
	}
	return text
}

// lastStamp is the last time in the bytes of a line whose start is not there. The longest lines have theirs at the end.
func lastStamp(cut []byte) time.Time {
	const mark = `"timestamp":"`
	at := bytes.LastIndex(cut, []byte(mark))
	if at < 0 {
		return time.Time{}
	}
	text, _, _ := bytes.Cut(cut[at+len(mark):], []byte{'"'})
	stamp, _ := time.Parse(time.RFC3339, string(text[:min(len(text), 64)]))
	return stamp
}
