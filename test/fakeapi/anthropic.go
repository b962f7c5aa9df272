package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

type anthropicRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	System json.RawMessage `json:"system"`
	Tools  []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

// Claude Code puts notes of its own into the user's messages.
var reminder = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`)

// Anthropic is the Messages API as far as Claude Code uses it.
func Anthropic(s *Server, w http.ResponseWriter, r *http.Request, seen Request) {
	switch {
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK)
	case strings.HasSuffix(r.URL.Path, "/count_tokens"):
		sendJSON(w, http.StatusOK, object{"input_tokens": 10 + len(seen.Body)/4})
	case r.URL.Path == "/v1/messages":
		var q anthropicRequest
		if err := json.Unmarshal(seen.Body, &q); err != nil {
			anthropicError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
			return
		}
		answerMessages(s, w, r, q, seen)
	default:
		anthropicError(w, http.StatusNotFound, "not_found_error", "fakeapi has no such path")
	}
}

func anthropicError(w http.ResponseWriter, status int, kind, message string) {
	sendJSON(w, status, object{"type": "error", "error": object{"type": kind, "message": message}})
}

func answerMessages(s *Server, w http.ResponseWriter, r *http.Request, q anthropicRequest, seen Request) {
	a := q.conversation().answer()
	if len(q.Tools) == 0 && strings.Contains(string(q.System), "title") {
		a = answer{text: `{"title": "A title from the fake API"}`}
	}
	stop := "end_turn"
	call := object{"type": "tool_use", "id": fmt.Sprintf("toolu_fake%06d", seen.N), "name": "Bash", "input": object{}}
	arguments := object{"command": a.command, "description": "asked for by the test"}
	if a.command != "" {
		stop = "tool_use"
	}
	usage := object{"input_tokens": 10 + len(seen.Body)/4, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
	message := object{
		"id": fmt.Sprintf("msg_fake%06d", seen.N), "type": "message", "role": "assistant", "model": q.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}
	if !q.Stream {
		s.pause(r.Context(), a)
		content := []any{object{"type": "text", "text": a.text}}
		if a.command != "" {
			call["input"] = arguments
			content = append(content, call)
		}
		message["content"], message["stop_reason"] = content, stop
		sendJSON(w, http.StatusOK, message)
		return
	}
	out := openStream(w)
	out.event("message_start", object{"message": message})
	out.event("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})
	s.pause(r.Context(), a)
	out.event("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": a.text}})
	out.event("content_block_stop", object{"index": 0})
	if a.command != "" {
		input, _ := json.Marshal(arguments)
		out.event("content_block_start", object{"index": 1, "content_block": call})
		out.event("content_block_delta", object{"index": 1, "delta": object{"type": "input_json_delta", "partial_json": string(input)}})
		out.event("content_block_stop", object{"index": 1})
	}
	out.event("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 5}})
	out.event("message_stop", object{})
}

func (q anthropicRequest) conversation() conversation {
	var c conversation
	var all strings.Builder
	for _, m := range q.Messages {
		text, result := anthropicText(m.Content)
		all.WriteString(text + "\n")
		if m.Role == "user" { // a message of role system may follow the user's last
			c.lastUser, c.afterATool = reminder.ReplaceAllString(text, ""), result
		}
	}
	c.all = all.String()
	return c
}

// anthropicText gives the text of a message's content, and whether it holds a tool's result.
func anthropicText(content json.RawMessage) (text string, result bool) {
	if json.Unmarshal(content, &text) == nil {
		return text, false
	}
	var blocks []struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
	}
	_ = json.Unmarshal(content, &blocks) // whatever it is else has no text
	var all strings.Builder
	for _, b := range blocks {
		if b.Type == "tool_result" {
			result = true
			all.Write(b.Content)
		}
		all.WriteString(b.Text + "\n")
	}
	return all.String(), result
}
