package codex

import (
	"os"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
	"github.com/sidefork/sidefork/sessions/seen"
)

// Codex says nowhere whether a session is idle or busy, but its rollout does: a turn begins with task_started and ends with
// task_complete or turn_aborted, each written at once. While a tool's call has no output yet, Codex either runs it or waits
// for leave to do so, and the rollout is the same byte for byte (0.171.0): that is neither called busy nor waiting.

// work is what a rollout tells of its last turn.
type work struct {
	phase phase
	said  bool            // something was, whether or not it is known in which turn
	calls map[string]bool // of tools, without their outputs so far
	last  time.Time       // of what it has written last
}

type phase int

const (
	unseen phase = iota // no turn begins or ends in what was read
	going
	over
)

// take takes what a line tells of a turn.
func (w *work) take(kind, payload []byte, at time.Time) {
	event, item := string(kind) == `"event_msg"`, string(kind) == `"response_item"`
	if !event && !item {
		return
	}
	w.said = w.said || item
	switch what := member(payload, "type"); {
	case event && what == "task_started":
		*w = work{phase: going, said: true, calls: map[string]bool{}, last: at}
	case event && (what == "task_complete" || what == "turn_aborted"):
		*w = work{phase: over, said: true}
	case item && w.phase == going:
		w.last = at
		switch id := member(payload, "call_id"); {
		case strings.HasSuffix(what, "_output"):
			delete(w.calls, id)
		case strings.HasSuffix(what, "_call"):
			w.calls[id] = true
		}
	}
}

// workOf is what the rollout of a session that runs tells of its last turn. One longer than what a list reads is looked for further back.
func (s store) workOf(r rollout) work {
	if r.work.phase != unseen {
		return r.work
	}
	w, _ := seen.File(s.seen, r.session.Source, "work", func(f *os.File, info os.FileInfo) (work, error) {
		data, whole, err := jsonl.Tail(f, info.Size(), 16*tailLimit)
		var told story
		told.end(data, whole)
		return told.work, err
	})
	return w
}

// status is that of a session that runs in a process which was started then: idle, busy, or "" where neither is certain.
// What was left open before that is not gone on with: a session that was killed in a turn waits for its person when it is
// taken up again.
func (w work) status(started time.Time) string {
	const margin = 50 * time.Millisecond // of what the system tells of the start
	switch {
	case w.phase == over:
		return agent.Idle
	case w.phase != going || started.IsZero():
		return ""
	case w.last.Before(started.Add(-margin)):
		return agent.Idle
	case len(w.calls) == 0 && w.last.After(started.Add(margin)):
		return agent.Busy
	}
	return ""
}
