package sidecar

import (
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/jsonrpc2"

	"github.com/sidefork/sidefork/commands"
)

// The extension for commands that need input (microsoft/language-server-protocol#1164): two requests, which neither wait
// for a recovery nor write anything. Clients know them by experimental.interactiveResolveProvider.
const (
	methodResolve  = "command/resolve"
	methodListEnum = "interactive/listEnum"
)

// interactive answers one of the two on a goroutine: reading a repository may take its time.
func (s *server) interactive(ctx context.Context, method string, params json.RawMessage, answer func(any, error)) {
	s.mu.Lock()
	env := s.env(s.client)
	s.mu.Unlock()
	s.spawn(func() {
		defer func() {
			if r := recover(); r != nil {
				s.panicked(method, r)
				failed := commands.Refuse("internal")
				failed.Detail = fmt.Sprint(r)
				answer(nil, wire(failed))
			}
		}()
		if method == methodListEnum {
			s.listEnum(ctx, env, params, answer)
			return
		}
		s.resolve(ctx, env, params, answer)
	}, &s.inFlight)
}

func (s *server) resolve(ctx context.Context, env *commands.Env, params json.RawMessage, answer func(any, error)) {
	var p struct {
		commands.ResolveParams
		Arguments   json.RawMessage `json:"arguments"`
		FormFields  json.RawMessage `json:"formFields"`
		FormAnswers json.RawMessage `json:"formAnswers"`
	}
	err := json.Unmarshal(params, &p)
	asked := p.ResolveParams
	if err == nil {
		asked.FormAnswers, err = formAnswers(p.FormAnswers)
	}
	if err == nil && !empty(p.Arguments) {
		err = json.Unmarshal(p.Arguments, &asked.Arguments)
	}
	if err != nil {
		answer(nil, wire(commands.Refuse("invalidArgument", "what", err.Error())))
		return
	}
	resolved, sent, failed := s.opt.Resolve(ctx, env, asked)
	if failed != nil {
		answer(nil, wire(failed))
		return
	}
	answer(resolved, nil)
	sent()
}

func (s *server) listEnum(ctx context.Context, env *commands.Env, params json.RawMessage, answer func(any, error)) {
	var p commands.ListEnumParams
	if err := json.Unmarshal(params, &p); err != nil {
		answer(nil, wire(commands.Refuse("invalidArgument", "what", err.Error())))
		return
	}
	entries, failed := commands.ListEnum(ctx, env, p)
	if failed != nil {
		answer(nil, wire(failed))
		return
	}
	answer(entries, nil)
}

// formAnswers reads answers. An empty Lua table may be a list or an object.
func formAnswers(raw json.RawMessage) (list []commands.FormAnswer, err error) {
	if empty(raw) {
		return nil, nil
	}
	return list, json.Unmarshal(raw, &list)
}

// isInteractive says whether a request is one of the extension's.
func isInteractive(request *jsonrpc2.Call) bool {
	return request.Method() == methodResolve || request.Method() == methodListEnum
}
