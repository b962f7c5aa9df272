package codex

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// turns gives the turns of a session, those too that stand in the rollouts which it is based on.
func turns(ctx context.Context, s agent.Session) ([]agent.Turn, error) {
	all, _ := open(nil, s.Home) // a folder that cannot be read has been named by list
	var r turnReader
	for _, p := range slices.Backward(all.line(s.Source)) {
		if err := r.read(ctx, p); err != nil {
			return nil, err
		}
	}
	return r.finish(), nil
}

// part is the start of a rollout.
type part struct {
	path string
	size int64 // bytes that count; -1: all
}

// line is what a session's history is made of, the newest part first: its own rollout, and the starts of those before it.
func (s store) line(path string) []part {
	parts := []part{{path, -1}}
	for range lineage {
		m := s.meta(path)
		next, there := s.byID()[m.base]
		if m.base == "" || !there {
			break
		}
		path = next
		parts = append(parts, part{path, m.baseEnd})
	}
	return parts
}

// turnReader takes the lines of rollouts in their order.
type turnReader struct {
	turns []turn
	at    map[string]int // by id
}

type turn struct {
	agent.Turn
	event     string // what was said, as the event has it
	ended     bool
	compacted bool
}

func (r *turnReader) read(ctx context.Context, p part) error {
	f, info, err := jsonl.Open(p.path)
	if err != nil {
		return err
	}
	defer f.Close()
	size := info.Size()
	if p.size >= 0 {
		size = min(size, p.size)
	}
	err = jsonl.Lines(io.NewSectionReader(f, 0, size), size+1, func(line []byte, _ int64) bool {
		r.add(line)
		return ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("codex: read %s: %w", p.path, err)
	}
	return nil
}

func (r *turnReader) add(line []byte) {
	var sort, id string
	var kind, stamp, payload []byte
	if whole := jsonl.Fields(line, func(key, value []byte) bool {
		switch string(key) {
		case "type":
			kind = value
		case "timestamp":
			stamp = value
		case "payload":
			payload = value
		}
		return true
	}); !whole {
		return
	}
	jsonl.Fields(payload, func(key, value []byte) bool {
		switch string(key) {
		case "type":
			sort = jsonl.Text(value, 64)
		case "turn_id":
			id = jsonl.Text(value, 64)
		}
		return true
	})
	event := string(kind) == `"event_msg"`
	switch {
	case event && sort == "task_started", string(kind) == `"turn_context"`:
		r.begin(id, stamp)
	case event && (sort == "task_complete" || sort == "turn_aborted"):
		if i, known := r.at[id]; known {
			r.turns[i].ended = true
		}
	case string(kind) == `"compacted"`:
		if len(r.turns) > 0 {
			r.turns[len(r.turns)-1].compacted = true
		}
	default:
		r.take(line, kind, payload)
	}
}

func (r *turnReader) begin(id string, stamp []byte) {
	if _, known := r.at[id]; known || !agent.IsUUID(id) {
		return
	}
	if r.at == nil {
		r.at = map[string]int{}
	}
	r.at[id] = len(r.turns)
	r.turns = append(r.turns, turn{Turn: agent.Turn{ID: id, At: timeOf(stamp), Role: "user"}})
}

// take notes what a line tells of the last turn: its prompt, how large the conversation is.
func (r *turnReader) take(line, kind, payload []byte) {
	if len(r.turns) == 0 {
		return
	}
	last := &r.turns[len(r.turns)-1]
	if last.Text == "" {
		if item, said := userText(line); item {
			last.Text = firstWords(said)
		} else if last.event == "" {
			last.event = firstWords(said)
		}
	}
	if tokens := usage(kind, payload); tokens > 0 {
		last.Tokens = tokens
	}
}

// finish gives the turns. One in which Codex was told nothing and summed up what there was is none to fork at.
func (r *turnReader) finish() []agent.Turn {
	all := make([]agent.Turn, 0, len(r.turns))
	for _, t := range r.turns {
		if t.Text == "" {
			t.Text = t.event
		}
		switch {
		case t.compacted && t.Text == "":
			t.Role, t.Text = "compaction", "The conversation was compacted."
			t.NotForkable = agent.Refuse("turnIsCompaction", "turn", t.ID)
		case !t.ended:
			t.NotForkable = agent.Refuse("turnOpen", "turn", t.ID)
		}
		all = append(all, t.Turn)
	}
	return all
}

// usage is how many tokens the conversation has with the answer of a line, as it was recorded; 0 where that is no record of
// it.
func usage(kind, payload []byte) (tokens int64) {
	total := func(counts []byte) {
		jsonl.Fields(counts, func(key, value []byte) bool {
			if string(key) == "total_tokens" {
				tokens = jsonl.Number(value)
			}
			return true
		})
	}
	jsonl.Fields(payload, func(key, value []byte) bool {
		switch {
		case string(kind) == `"token_usage_record"` && string(key) == "usage":
			total(value)
		case string(kind) == `"event_msg"` && string(key) == "info": // of token_count; null before the first answer
			jsonl.Fields(value, func(key, value []byte) bool {
				if string(key) == "last_token_usage" {
					total(value)
				}
				return true
			})
		}
		return true
	})
	return tokens
}

func firstWords(text string) string {
	return jsonl.Short(strings.Join(strings.Fields(text), " "), agent.TurnText)
}
