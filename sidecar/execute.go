package sidecar

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// codeRequestFailed is LSP 3.17's RequestFailed, which the library does not know.
const codeRequestFailed jsonrpc2.Code = -32803

type executeParams struct {
	Command       string                  `json:"command"`
	Arguments     []json.RawMessage       `json:"arguments"`
	FormAnswers   json.RawMessage         `json:"formAnswers"`
	WorkDoneToken *protocol.ProgressToken `json:"workDoneToken"`
}

// stays says whether a command is to go on when its client goes away: its argument's onDisconnect is "finish".
func (p executeParams) stays() bool {
	var argument struct {
		OnDisconnect string `json:"onDisconnect"`
	}
	return len(p.Arguments) == 1 && json.Unmarshal(p.Arguments[0], &argument) == nil && argument.OnDisconnect == "finish"
}

// execute runs a command: begin, wait for the recovery, run, end. The error is a *jsonrpc2.Error.
func (s *server) execute(ctx context.Context, c *call) (answer any, err error) {
	if c.bad != nil {
		return nil, wire(commands.Refuse("invalidArgument", "what", c.bad.Error()))
	}
	p := s.begin(ctx, c)
	outcome := locales.Word("Failed")
	defer func() {
		if r := recover(); r != nil {
			s.panicked(c.params.Command, r)
			failed := commands.Refuse("internal")
			failed.Effect, failed.Detail = commands.Uncertain, fmt.Sprint(r)
			answer, err = nil, wire(failed)
		}
		p.end(outcome)
	}()

	argument, failed := argumentOf(c.params)
	if failed != nil {
		return nil, wire(failed)
	}
	select {
	case <-c.recovered:
	case <-ctx.Done():
		outcome = locales.Word("Cancelled")
		return commands.Cancelled{Status: "cancelled"}, nil
	}
	result, failed := s.opt.Run(ctx, s.env(c.client), c.params.Command, argument, p)
	if failed != nil {
		return nil, wire(failed)
	}
	raw, err := json.Marshal(result)
	if err != nil {
		panic(err) // a shape of ours that cannot be written
	}
	outcome = locales.Word("Done")
	if _, cancelled := result.(commands.Cancelled); cancelled {
		outcome = locales.Word("Cancelled")
	}
	return json.RawMessage(raw), nil
}

// argumentOf gives the one argument object. An empty Lua table arrives as [], so that is one too.
func argumentOf(p executeParams) (json.RawMessage, *commands.Failure) {
	if len(p.Arguments) != 1 {
		return nil, commands.Refuse("invalidArgument", "what", fmt.Sprintf("%d arguments instead of exactly one object", len(p.Arguments)))
	}
	argument := bytes.TrimSpace(p.Arguments[0])
	switch {
	case bytes.HasPrefix(argument, []byte("{")):
	case bytes.HasPrefix(argument, []byte("[")) && empty(argument):
		argument = []byte("{}")
	default:
		return nil, commands.Refuse("invalidArgument", "what", "the argument is not an object")
	}
	answers, err := formAnswers(p.FormAnswers)
	if err != nil {
		return nil, commands.Refuse("invalidArgument", "what", "formAnswers: "+err.Error())
	}
	if answers == nil {
		return argument, nil
	}
	return commands.Answered(p.Command, argument, answers)
}

// empty says whether a value is absent, null, [] or {}.
func empty(raw json.RawMessage) bool {
	var list []json.RawMessage
	var object map[string]json.RawMessage
	return len(raw) == 0 || json.Unmarshal(raw, &list) == nil && len(list) == 0 || json.Unmarshal(raw, &object) == nil && len(object) == 0
}

// titleOf is what a command's progress is called, and whether it is worth making a token for.
func (s *server) titleOf(name string) (title string, long bool) {
	for _, c := range s.opt.Commands {
		if c.Name == name {
			return cmp.Or(c.Title, c.About, name), c.Title != ""
		}
	}
	return name, false
}

// wire is a failure as docs/contract.md, "Errors", has it.
func wire(f *commands.Failure) error {
	code := codeRequestFailed
	switch f.Reason.Code {
	case "invalidArgument", "unknownCommand":
		code = jsonrpc2.InvalidParams
	case "internal":
		code = jsonrpc2.InternalError
	}
	data, _ := json.Marshal(f) // strings only: cannot fail
	raw := json.RawMessage(data)
	return &jsonrpc2.Error{Code: code, Message: f.Reason.Message, Data: &raw}
}
