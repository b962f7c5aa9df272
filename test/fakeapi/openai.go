package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

type openAIRequest struct {
	Stream bool            `json:"stream"`
	Input  json.RawMessage `json:"input"`
	Tools  []openAITool    `json:"tools"`
}

type openAIItem struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Output  json.RawMessage `json:"output"`
}

type openAITool struct {
	Type       string       `json:"type"`
	Name       string       `json:"name"`
	Tools      []openAITool `json:"tools"` // of a namespace
	Parameters struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	} `json:"parameters"`
}

// OpenAI is the Responses API as far as Codex uses it, Chat Completions as far as opencode and pi do, and the list of
// models.
func OpenAI(s *Server, w http.ResponseWriter, r *http.Request, seen Request) {
	path := strings.TrimRight(r.URL.Path, "/")
	switch {
	case r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" && strings.HasSuffix(path, "/models"):
		sendJSON(w, http.StatusOK, object{"object": "list", "data": []any{object{"id": "fake-model", "object": "model"}}})
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/responses"):
		var q openAIRequest
		if err := json.Unmarshal(seen.Body, &q); err != nil {
			sendJSON(w, http.StatusBadRequest, object{"error": object{"message": err.Error()}})
			return
		}
		answerResponses(s, w, r, q, seen)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/chat/completions"):
		var q chatRequest
		if err := json.Unmarshal(seen.Body, &q); err != nil {
			sendJSON(w, http.StatusBadRequest, object{"error": object{"message": err.Error()}})
			return
		}
		answerChat(s, w, r, q, seen)
	default: // web sockets too, which Codex tries first for some providers
		sendJSON(w, http.StatusNotFound, object{"error": object{"message": "fakeapi has no such path"}})
	}
}

func answerResponses(s *Server, w http.ResponseWriter, r *http.Request, q openAIRequest, seen Request) {
	a := q.conversation().answer()
	id := fmt.Sprintf("resp_%d", seen.N)
	text := object{"type": "output_text", "text": a.text, "annotations": []any{}}
	item := object{"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", seen.N), "status": "completed", "content": []any{text}}
	call := q.shellCall(a, seen.N)
	if call != nil {
		item = call
	}
	response := object{
		"id": id, "object": "response", "status": "completed", "output": []any{item},
		"usage": object{
			"input_tokens": 10, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 5,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 15,
		},
	}
	if !q.Stream {
		s.pause(r.Context(), a)
		sendJSON(w, http.StatusOK, response)
		return
	}
	out := openStream(w)
	out.event("response.created", object{"response": object{"id": id, "object": "response", "status": "in_progress", "output": []any{}}})
	s.pause(r.Context(), a)
	begun := object{}
	for k, v := range item {
		begun[k] = v
	}
	begun["status"] = "in_progress"
	if call == nil {
		begun["content"] = []any{}
	}
	out.event("response.output_item.added", object{"output_index": 0, "item": begun})
	if call == nil {
		place := func(more object) object {
			more["item_id"], more["output_index"], more["content_index"] = item["id"], 0, 0
			return more
		}
		out.event("response.content_part.added", place(object{"part": object{"type": "output_text", "text": "", "annotations": []any{}}}))
		out.event("response.output_text.delta", place(object{"delta": a.text}))
		out.event("response.output_text.done", place(object{"text": a.text}))
	}
	out.event("response.output_item.done", object{"output_index": 0, "item": item})
	out.event("response.completed", object{"response": response})
}

// shellCall is a call of the shell tool that the request offers; nil where there is no command or no such tool.
func (q openAIRequest) shellCall(a answer, n int) object {
	if a.command == "" {
		return nil
	}
	tools := slices.Clone(q.Tools)
	for _, t := range q.Tools {
		tools = append(tools, t.Tools...)
	}
	for _, t := range tools {
		if !slices.Contains([]string{"shell", "exec_command", "shell_command", "local_shell"}, t.Name) {
			continue
		}
		name := "command"
		if _, short := t.Parameters.Properties["cmd"]; short {
			name = "cmd"
		}
		var value any = a.command
		if t.Parameters.Properties[name].Type == "array" {
			value = []string{"sh", "-c", a.command}
		}
		how := object{name: value}
		if a.asks {
			how["sandbox_permissions"], how["justification"] = "require_escalated", "the test wants to be asked"
		}
		arguments, _ := json.Marshal(how)
		return object{
			"type": "function_call", "id": fmt.Sprintf("fc_%d", n), "call_id": fmt.Sprintf("call_%d", n),
			"name": t.Name, "arguments": string(arguments), "status": "completed",
		}
	}
	return nil
}

func (q openAIRequest) conversation() conversation {
	var c conversation
	var plain string
	if json.Unmarshal(q.Input, &plain) == nil {
		return conversation{all: plain, lastUser: plain}
	}
	var items []openAIItem
	_ = json.Unmarshal(q.Input, &items) // whatever it is else has no text
	var all strings.Builder
	for _, item := range items {
		if strings.Contains(item.Type, "call_output") {
			c.afterATool = true
			all.Write(item.Output)
			continue
		}
		text := openAIText(item.Content)
		all.WriteString(text + "\n")
		// Codex's own notes are user messages too; they begin with a tag, as <environment_context>.
		if item.Role == "user" && !strings.HasPrefix(strings.TrimSpace(text), "<") {
			c.lastUser, c.afterATool = text, false
		}
	}
	c.all = all.String()
	return c
}

func openAIText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &parts)
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}
