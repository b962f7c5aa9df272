package claude

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// turn is a turn, and how many bytes of the file hold it and what was said before it.
type turn struct {
	agent.Turn
	end      int64
	answered bool
	calls    map[string]bool // of tools, whose results have not come
}

// turns gives the turns of a session, in the order of its file: also one that its person has gone back behind.
func turns(ctx context.Context, s agent.Session) ([]agent.Turn, error) {
	found, err := readTurns(ctx, s.Source)
	all := make([]agent.Turn, 0, len(found))
	for _, t := range found {
		all = append(all, t.Turn)
	}
	return all, err
}

func readTurns(ctx context.Context, path string) ([]turn, error) {
	f, info, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r turnReader
	err = jsonl.Lines(io.NewSectionReader(f, 0, info.Size()), info.Size()+1, func(line []byte, end int64) bool {
		r.add(line, end)
		return ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("claude: read %s: %w", path, err)
	}
	return r.finish(), nil
}

// turnReader takes a transcript's lines in their order.
type turnReader struct {
	turns []turn
	// typed is a command or a shell line, which begins a turn if it is answered; the turn before it ends at before.
	typed  *turn
	before int64
	known  map[string]bool // the turns' ids
}

func (r *turnReader) add(line []byte, end int64) {
	var kind, subtype, id, stamp, message []byte
	var side, meta bool
	whole := jsonl.Fields(line, func(name, value []byte) bool {
		switch string(name) {
		case "type":
			kind = value
		case "subtype":
			subtype = value
		case "uuid":
			id = value
		case "timestamp":
			stamp = value
		case "message":
			message = value
		case "isSidechain":
			side = string(value) == "true"
		case "isMeta", "isCompactSummary":
			meta = meta || string(value) == "true"
		}
		return true
	})
	uuid := jsonl.Text(id, 64)
	if !whole || side || !agent.IsUUID(uuid) { // what has no id is no part of what is sent
		return
	}
	begun := turn{Turn: agent.Turn{ID: uuid, At: timeOf(stamp), Role: "user"}, end: end}
	switch string(kind) {
	case `"system"`:
		if string(subtype) == `"compact_boundary"` {
			begun.Role, begun.Text = "compaction", "The conversation was compacted."
			begun.NotForkable = agent.Refuse("turnIsCompaction", "turn", uuid)
			r.begin(begun)
		}
	case `"user"`:
		said := prompt(message)
		switch {
		case meta, strings.HasPrefix(said, "[Request interrupted by user"):
		case said != "":
			begun.Text = firstWords(said)
			r.begin(begun)
		default:
			if command := typed(message); command != "" {
				begun.Text = firstWords(command)
				r.typed = &begun
				if len(r.turns) > 0 {
					r.before = r.turns[len(r.turns)-1].end
				}
			}
		}
	case `"assistant"`:
		if r.typed != nil {
			if len(r.turns) > 0 {
				r.turns[len(r.turns)-1].end = r.before
			}
			r.begin(*r.typed)
		}
	}
	if len(r.turns) == 0 {
		return
	}
	last := &r.turns[len(r.turns)-1]
	last.end = end
	r.take(last, string(kind) == `"assistant"`, message)
}

func (r *turnReader) begin(t turn) {
	r.typed = nil
	if r.known[t.ID] {
		return // told again
	}
	if r.known == nil {
		r.known = map[string]bool{}
	}
	r.known[t.ID] = true
	t.calls = map[string]bool{}
	r.turns = append(r.turns, t)
}

// take notes what a message of the last turn tells: calls of tools, their results, how large the conversation is.
func (r *turnReader) take(last *turn, answer bool, message []byte) {
	if answer {
		last.answered = true
		if tokens := usage(message); tokens > 0 {
			last.Tokens = tokens
		}
	}
	jsonl.Fields(message, func(name, value []byte) bool {
		if string(name) != "content" {
			return true
		}
		jsonl.Items(value, func(part []byte) bool {
			var sort, id, result string
			jsonl.Fields(part, func(name, value []byte) bool {
				switch string(name) {
				case "type":
					sort = jsonl.Text(value, 64)
				case "id":
					id = jsonl.Text(value, 256)
				case "tool_use_id":
					result = jsonl.Text(value, 256)
				}
				return true
			})
			switch sort {
			case "tool_use":
				last.calls[id] = true
			case "tool_result":
				r.result(result)
			}
			return true
		})
		return false
	})
}

// result ends a call. Between it and its call nothing can be cut.
func (r *turnReader) result(call string) {
	for i, t := range slices.Backward(r.turns) {
		if !t.calls[call] {
			continue
		}
		delete(t.calls, call)
		for j := i; j < len(r.turns)-1; j++ {
			if r.turns[j].NotForkable == nil {
				r.turns[j].NotForkable = agent.Refuse("turnOpen", "turn", r.turns[j].ID)
			}
		}
		return
	}
}

// finish gives the turns. One that nobody has answered, and the last one while a tool is at work, have not ended.
func (r *turnReader) finish() []turn {
	for i := range r.turns {
		t := &r.turns[i]
		last := i == len(r.turns)-1
		if t.NotForkable == nil && (!t.answered || last && len(t.calls) > 0) {
			t.NotForkable = agent.Refuse("turnOpen", "turn", t.ID)
		}
	}
	return r.turns
}

// findTurn is a turn of a session that a fork can begin at.
func findTurn(ctx context.Context, s agent.Session, id string) (turn, error) {
	found, err := readTurns(ctx, s.Source)
	if err != nil {
		return turn{}, agent.Refuse("sessionBroken", "id", s.ID.ID, "what", err.Error())
	}
	for _, t := range found {
		if t.ID == id {
			if t.NotForkable != nil {
				return turn{}, t.NotForkable
			}
			return t, nil
		}
	}
	return turn{}, agent.Refuse("turnUnknown", "turn", id, "id", s.ID.ID)
}

// usage is how many tokens an answer and all before it have, as it was recorded; 0 where it was not.
func usage(message []byte) (tokens int64) {
	jsonl.Fields(message, func(name, value []byte) bool {
		if string(name) == "usage" {
			jsonl.Fields(value, func(name, value []byte) bool {
				switch string(name) {
				case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens":
					tokens += jsonl.Number(value)
				}
				return true
			})
		}
		return true
	})
	return tokens
}

// typed is what a person typed that Claude Code took itself: a command with its arguments, or a line for the shell.
func typed(message []byte) (text string) {
	jsonl.Fields(message, func(name, value []byte) bool {
		if string(name) == "content" {
			text = jsonl.Text(value, textLimit)
		}
		return true
	})
	if line, ok := between(text, "bash-input"); ok {
		return "! " + line
	}
	name, ok := between(text, "command-name")
	if !ok {
		return ""
	}
	arguments, _ := between(text, "command-args")
	return strings.TrimSpace(name + " " + arguments)
}

func between(text, tag string) (string, bool) {
	_, rest, ok := strings.Cut(text, "<"+tag+">")
	inside, _, closed := strings.Cut(rest, "</"+tag+">")
	return inside, ok && closed
}

func firstWords(text string) string {
	return jsonl.Short(strings.Join(strings.Fields(text), " "), agent.TurnText)
}
