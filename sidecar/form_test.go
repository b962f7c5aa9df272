package sidecar

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/editor"
)

func TestACommandWithoutAFormComesBackAsItIs(t *testing.T) {
	e := serveReady(t, func(o *Options) { o.Commands, o.Run = nil, nil })
	for params, want := range map[string]string{
		`{"command":"sidefork.sessions","arguments":[{"scope":"all","x":1.5}]}`:           `{"command":"sidefork.sessions","arguments":[{"scope":"all","x":1.5}]}`,
		`{"command":"sidefork.doesNotExist","arguments":[{}]}`:                            `unknownCommand`,
		`{"command":"sidefork.fork","arguments":[{"name":"try","workspace":"/nowhere"}]}`: `{"command":"sidefork.fork","arguments":[{"name":"try","workspace":"/nowhere"}]}`,
		`{"command":"sidefork.recover","arguments":{},"formAnswers":{}}`:                  `{"command":"sidefork.recover"}`, // Lua's empty tables
		`{"command":"sidefork.recover","formAnswers":[],"formFields":[{"id":"x"}]}`:       `{"command":"sidefork.recover"}`,
		`{"command":"sidefork.fork","arguments":[{"workspace":"/w"}],"formAnswers":7}`:    `invalidArgument`,
		`{"command":"sidefork.fork","arguments":[{"workspace":"w"}]}`:                     `invalidArgument`,
		`{"command":"sidefork.fork","arguments":[{"workspace":"/w","nam":"x"}]}`:          `invalidArgument`,
		`{"command":"sidefork.fork","arguments":[{"workspace":"/w"},{}]}`:                 `invalidArgument`,
		`{"command":"sidefork.fork","arguments":[{}],"formAnswers":[{"id":"nam"}]}`:       `invalidArgument`,
		`{"command":"sidefork.fork","arguments":[{"workspace":"/no/such/folder"}]}`:       `missing`,
		`7`: `invalidArgument`,
	} {
		got, err := e.Call("command/resolve", json.RawMessage(params)).Wait(soon(t))
		if failed, ok := err.(*editor.Error); ok {
			got = json.RawMessage(failed.Failure().Reason.Code)
		}
		if string(got) != want {
			t.Errorf("%s: %s, %v", params, got, err)
		}
	}
	for params, code := range map[string]string{
		`{"source":"elsewhere","query":""}`:                                   "invalidArgument",
		`{"source":"sidefork.refs","config":{},"query":""}`:                   "invalidArgument",
		`{"source":"sidefork.refs","config":{"workspace":"w"},"query":""}`:    "invalidArgument",
		`{"source":"sidefork.refs","config":{"workspace":"/no/such/folder"}}`: "missing",
		`[]`: "invalidArgument",
	} {
		if f := wantErrorOfAnyCode(t, e.Call("interactive/listEnum", json.RawMessage(params))); f.Reason.Code != code || f.Effect != "nothing" {
			t.Errorf("%s: %+v", params, f)
		}
	}
	for params, code := range map[string]string{
		`{"command":"sidefork.sessions","arguments":[{}],"formAnswers":[{"id":"name","value":"x"}]}`:                                                   "invalidArgument",
		`{"command":"sidefork.fork","arguments":[{"workspace":"/w"}],"formAnswers":[{"id":"name","value":"x"}]}`:                                       "invalidArgument",
		`{"command":"sidefork.fork","arguments":[{"workspace":"/w"}],"formAnswers":[{"id":"name","value":"x"},{"id":"name"}]}`:                         "invalidArgument",
		`{"command":"sidefork.fork","arguments":[{"workspace":"/no/such"}],"formAnswers":[{"id":"name","value":"x"},{"id":"session","value":"none"}]}`: "missing",
	} {
		if f := wantErrorOfAnyCode(t, e.Call("workspace/executeCommand", json.RawMessage(params))); f.Reason.Code != code || f.Effect != "nothing" {
			t.Errorf("%s: %+v", params, f)
		}
	}
}

// News of a form come after the form that they are about.
func TestNewsOfAFormComeAfterIt(t *testing.T) {
	e := serveReady(t, func(o *Options) {
		o.Resolve = func(_ context.Context, env *commands.Env, p commands.ResolveParams) (commands.ResolveParams, func(), *commands.Failure) {
			return p, func() { env.Notify("sidefork/changed", commands.ChangedParams{What: "form", Workspace: "/w"}) }, nil
		}
	})
	c := e.Call("command/resolve", args{"command": "x"})
	n, err := e.Notifications.Await(soon(t), editor.IsMethod("sidefork/changed"))
	if err != nil || string(n.Params) != `{"what":"form","workspace":"/w"}` {
		t.Errorf("%s, %v", n.Params, err)
	}
	select { // the editor reads in order
	case <-c.Done():
	default:
		t.Error("the news came first")
	}
}

func TestAFormThatPanicsIsAnswered(t *testing.T) {
	e := serveReady(t, func(o *Options) {
		o.Resolve = func(context.Context, *commands.Env, commands.ResolveParams) (commands.ResolveParams, func(), *commands.Failure) {
			panic("boom")
		}
	})
	if f := wantError(t, e.Call("command/resolve", args{"command": "x"}), -32603); f.Reason.Code != "internal" {
		t.Errorf("%+v", f)
	}
	wantAlive(t, e)
}

func wantErrorOfAnyCode(t *testing.T, c *editor.Call) editor.Failure {
	t.Helper()
	got, err := c.Wait(soon(t))
	failed, ok := err.(*editor.Error)
	if !ok {
		t.Errorf("got %s, %v; want an error", got, err)
		return editor.Failure{}
	}
	return failed.Failure()
}
