package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type chatRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function openAITool `json:"function"`
	} `json:"tools"`
}

// answerChat is the Chat Completions API as far as opencode and pi use it.
func answerChat(s *Server, w http.ResponseWriter, r *http.Request, q chatRequest, seen Request) {
	a := q.conversation().answer()
	say := object{"role": "assistant", "content": a.text}
	finish := "stop"
	if call := q.shellCall(a.command, seen.N); call != nil {
		say, finish = object{"role": "assistant", "tool_calls": []any{call}}, "tool_calls"
	}
	id := fmt.Sprintf("chatcmpl-%d", seen.N)
	usage := object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	if !q.Stream {
		s.pause(r.Context(), a)
		sendJSON(w, http.StatusOK, object{
			"id": id, "object": "chat.completion", "created": 0, "model": q.Model, "usage": usage,
			"choices": []any{object{"index": 0, "message": say, "finish_reason": finish}},
		})
		return
	}
	out := openStream(w)
	chunk := func(delta object, finish any, more object) {
		c := object{
			"id": id, "object": "chat.completion.chunk", "created": 0, "model": q.Model,
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}},
		}
		for k, v := range more {
			c[k] = v
		}
		out.data(c)
	}
	chunk(object{"role": "assistant", "content": ""}, nil, nil)
	s.pause(r.Context(), a)
	chunk(say, nil, nil)
	chunk(object{}, finish, object{"usage": usage})
	out.text("[DONE]")
}

// shellCall is a call of the shell tool that the request offers; nil where there is no command or no such tool.
func (q chatRequest) shellCall(command string, n int) object {
	if command == "" {
		return nil
	}
	for _, t := range q.Tools {
		if t.Function.Name != "bash" {
			continue
		}
		arguments, _ := json.Marshal(object{"command": command, "description": "asked for by the test"})
		return object{
			"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function",
			"function": object{"name": "bash", "arguments": string(arguments)},
		}
	}
	return nil
}

func (q chatRequest) conversation() conversation {
	var c conversation
	var all strings.Builder
	for _, m := range q.Messages {
		text := openAIText(m.Content)
		all.WriteString(text + "\n")
		switch m.Role {
		case "user":
			c.lastUser, c.afterATool = text, false
		case "tool":
			c.afterATool = true
		}
	}
	c.all = all.String()
	return c
}
