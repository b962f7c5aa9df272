package sidecar

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/editor"
)

// What no client should send, and some do: each is ignored or answered, and the server goes on.
func TestServerSurvivesWhatItCannotUnderstand(t *testing.T) {
	inFrame := func(body string) func(*editor.Editor) error {
		return func(e *editor.Editor) error { return e.Frame([]byte(body)) }
	}
	note := func(method string, params any) func(*editor.Editor) error {
		return func(e *editor.Editor) error { return e.Notify(method, params) }
	}
	tests := []struct {
		name    string
		send    func(*editor.Editor) error
		refused int // the code of an answer with id null; 0: no answer
	}{
		{"unknown $/ notification", note("$/unknown", args{"a": 1}), 0},
		{"unknown notification", note("custom/note", args{"a": 1}), 0},
		{"notification with bad params", note("textDocument/didOpen", args{"textDocument": 5}), 0},
		{"known notification with bad params", note("workspace/didChangeWorkspaceFolders", []int{1}), 0},
		{"initialized without params", note("initialized", nil), 0},
		{"setTrace", note("$/setTrace", args{"value": "off"}), 0},
		{"setTrace with an unknown value", note("$/setTrace", args{"value": "compact"}), 0},
		{"setTrace with a number", note("$/setTrace", args{"value": 5}), 0},
		{"didChangeConfiguration null", note("workspace/didChangeConfiguration", args{"settings": nil}), 0},
		{"didChangeConfiguration without params", note("workspace/didChangeConfiguration", nil), 0},
		{"didChangeConfiguration of a wrong type", note("workspace/didChangeConfiguration", args{"settings": args{"carry": 7}}), 0},
		{"cancel of an unknown id", note("$/cancelRequest", args{"id": 4242}), 0},
		{"cancel of id null", note("$/cancelRequest", args{"id": nil}), 0},
		{"cancel of an id over int32", note("$/cancelRequest", args{"id": int64(3000000000)}), 0},
		{"cancel without params", note("$/cancelRequest", nil), 0},
		{"cancel of an unknown token", note("window/workDoneProgress/cancel", args{"token": "nobody"}), 0},
		{"cancel of a token that is none", note("window/workDoneProgress/cancel", args{"token": []int{}}), 0},
		{"answer to no request", inFrame(`{"jsonrpc":"2.0","id":77,"result":null}`), 0},
		{"answer with id null", inFrame(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}`), 0},
		{"answer without result", inFrame(`{"jsonrpc":"2.0","id":78}`), 0},
		{"malformed JSON", inFrame(`{"jsonrpc":"2.0","id":5,`), -32700},
		{"empty frame", inFrame(``), -32700},
		{"bytes that are no UTF-8", inFrame("\xff\xfe"), -32700},
		{"JSON that is no message", inFrame(`true`), -32600},
		{"a string", inFrame(`"hello"`), -32600},
		{"an empty object", inFrame(`{}`), -32600},
		{"null", inFrame(`null`), -32600},
		{"batch", inFrame(`[{"jsonrpc":"2.0","id":60,"method":"shutdown"},{"jsonrpc":"2.0","id":61,"method":"shutdown"}]`), -32600},
		{"method that is a number", inFrame(`{"jsonrpc":"2.0","id":5,"method":5}`), -32600},
		{"another JSON-RPC", inFrame(`{"jsonrpc":"1.0","id":5,"method":"shutdown"}`), -32600},
		{"request with id null", inFrame(`{"jsonrpc":"2.0","id":null,"method":"shutdown"}`), -32600},
		{"request with an object as id", inFrame(`{"jsonrpc":"2.0","id":{},"method":"shutdown"}`), -32600},
		{"request with an id over int32", inFrame(`{"jsonrpc":"2.0","id":3000000000,"method":"shutdown"}`), -32600},
		{"request with an empty id", inFrame(`{"jsonrpc":"2.0","id":"","method":"shutdown"}`), -32600},
		{"deep nesting", inFrame(strings.Repeat("[", 1<<20)), -32700},
		{"deep nesting in params", inFrame(`{"jsonrpc":"2.0","method":"x","params":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `}`), -32700},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := serveReady(t, nil)
			if err := test.send(e); err != nil {
				t.Fatal(err)
			}
			wantAlive(t, e)
			refused := e.Refused.All()
			switch {
			case test.refused == 0 && len(refused) > 0:
				t.Errorf("answered with %v; want silence", refused)
			case test.refused != 0 && (len(refused) != 1 || refused[0].Code != test.refused):
				t.Errorf("answered with %v; want code %d", refused, test.refused)
			}
		})
	}
}

func TestHeadersAreReadInAnyUsualForm(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":5,"method":"workspace/executeCommand","params":{"command":"test.ping","arguments":[{}]}}`
	for name, format := range map[string]string{
		"as it should be":            "Content-Length: %d\r\n\r\n",
		"lower case, with a type":    "content-length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
		"type first, upper case":     "Content-Type: x\r\nCONTENT-LENGTH:%d\r\n\r\n",
		"bare line feeds":            "Content-Length: %d\n\n",
		"unknown header":             "X-Thing: 1\r\nContent-Length: %d\r\n\r\n",
		"the same length said twice": "Content-Length: %[1]d\r\nContent-Length: %[1]d\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			e := serveReady(t, nil)
			got := e.Expect(5)
			if err := e.Raw([]byte(fmt.Sprintf(format, len(body)) + body)); err != nil {
				t.Fatal(err)
			}
			if answer, err := got.Wait(soon(t)); err != nil || string(answer) != `"pong"` {
				t.Errorf("got %s, %v", answer, err)
			}
		})
	}
}

// Behind a broken header nothing says where the next message begins.
func TestABrokenHeaderEndsTheServerAfterARollBack(t *testing.T) {
	for name, header := range map[string]string{
		"no colon":                  "hello world\r\n\r\n",
		"no length":                 "Content-Type: x\r\n\r\n",
		"a length that is no digit": "Content-Length: ten\r\n\r\n",
		"a negative length":         "Content-Length: -5\r\n\r\n",
		"2 GB":                      "Content-Length: 2000000000\r\n\r\n{",
		"two lengths":               "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
		"an endless line":           "X: " + strings.Repeat("x", 1<<20),
		"endless lines":             strings.Repeat("X: x\r\n", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			e := serveReady(t, nil)
			c := waiting(t, e, "t")
			_ = e.Raw([]byte(header)) // the server may stop reading in the middle
			if refused, err := e.Refused.Await(soon(t), func(*editor.Error) bool { return true }); err != nil || refused.Code != -32700 {
				t.Errorf("answered with %v, %v", refused, err)
			}
			wantCancelled(t, c)
			wantStatus(t, e, 1)
		})
	}
}

func TestAMessageWithoutVersionIsTaken(t *testing.T) {
	e := serveReady(t, nil)
	got := e.Expect(5)
	if err := e.Frame([]byte(`{"id":5,"method":"workspace/executeCommand","params":{"command":"test.ping","arguments":[{}]}}`)); err != nil {
		t.Fatal(err)
	}
	if answer, err := got.Wait(soon(t)); err != nil || string(answer) != `"pong"` {
		t.Errorf("got %s, %v", answer, err)
	}
}

func TestALargeMessageIsAnswered(t *testing.T) {
	e := serveReady(t, nil)
	const size = 4 << 20
	c := e.Expect(5)
	head, tail := `{"jsonrpc":"2.0","id":5,"method":"workspace/executeCommand","params":{"command":"test.len","arguments":[{"text":"`, `"}]}}`
	if err := e.Frame([]byte(head + strings.Repeat("a", size) + tail)); err != nil {
		t.Fatal(err)
	}
	got, err := c.Wait(soon(t))
	if err != nil || string(got) != fmt.Sprint(size) {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestUnknownRequestsAreNotFound(t *testing.T) {
	e := serveReady(t, nil)
	wantError(t, e.Call("custom/thing", args{"a": 1}), -32601)
	wantError(t, e.Call("custom/noparams", nil), -32601)
	wantError(t, e.Call("$/thing", nil), -32601)
	wantAlive(t, e)
}

func TestARunningIDIsRefusedASecondTime(t *testing.T) {
	e := serveReady(t, nil)
	first := waiting(t, e, "t")
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"workspace/executeCommand","params":{"command":"test.ping","arguments":[{}]}}`, first.ID)
	if err := e.Frame([]byte(body)); err != nil {
		t.Fatal(err)
	}
	wantError(t, first, -32600) // the editor cannot tell the two apart
}

// The same command under the ids that LSP allows.
func TestIDsComeBackAsTheyWere(t *testing.T) {
	e := serveReady(t, nil)
	params := args{"command": "test.ping", "arguments": []any{args{}}}
	for _, id := range []any{0, -7, 1<<31 - 1, "abc", "7", "a\"b\u2028"} {
		if got, err := e.CallAs(id, "workspace/executeCommand", params).Wait(soon(t)); err != nil || string(got) != `"pong"` {
			t.Errorf("id %v: %s, %v", id, got, err)
		}
	}
}

func TestNumbersAsLuaWritesThem(t *testing.T) {
	e := serveReady(t, nil)
	got := e.Expect(7)
	body := `{"jsonrpc":"2.0","id":7.0,"method":"workspace/executeCommand","params":{"command":"test.len","arguments":[{"text":"1.0","number":10.0}]}}`
	if err := e.Frame([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if answer, err := got.Wait(soon(t)); err != nil || string(answer) != "13" {
		t.Errorf("got %s, %v", answer, err)
	}
}

func TestNothingIsServedBeforeInitialize(t *testing.T) {
	e := serve(t, nil)
	wantError(t, e.Execute("test.ping", args{}, nil), -32002)
	wantError(t, e.Call("shutdown", nil), -32002)
	wantError(t, e.Call("custom/thing", nil), -32002)
	if err := e.Notify("workspace/didChangeConfiguration", args{"settings": args{}}); err != nil {
		t.Fatal(err)
	}
	initialize(t, e, editor.Options{})
	wantAlive(t, e)
	wantError(t, e.Call("initialize", args{"capabilities": args{}}), -32600)
	wantAlive(t, e)
}

// initialize in the shapes that real clients send.
func TestInitializeTakesTheShapesOfRealClients(t *testing.T) {
	full := `"processId":123,"clientInfo":{"name":"Neovim","version":"0.11.0"},"locale":"es","rootPath":null,"rootUri":null,
		"capabilities":{"general":{"positionEncodings":["utf-8"]},"window":{"workDoneProgress":true,"showMessage":{"messageActionItem":{}}},
		"workspace":{"applyEdit":true,"futureThing":{"x":[1,2,{"y":null}]}},"experimental":{"a":1},"offsetEncoding":["utf-8"]},
		"initializationOptions":{"log":{"level":"debug"}},"trace":"off","workspaceFolders":null,"workDoneToken":"1"`
	for name, params := range map[string]string{
		"full":                     "{" + full + "}",
		"no optional":              `{"processId":null,"rootUri":null,"capabilities":{}}`,
		"empty tables as lists":    "{" + full + `,"initializationOptions":[],"capabilities":{"experimental":[]}}`,
		"capabilities.workspace":   "{" + full + `,"capabilities":{"workspace":[]}}`,
		"capabilities as a list":   "{" + full + `,"capabilities":[]}`,
		"processId with a point":   "{" + full + `,"processId":123.0}`,
		"unknown trace":            "{" + full + `,"trace":"compact"}`,
		"unknown encoding":         "{" + full + `,"capabilities":{"general":{"positionEncodings":["utf-7"]}}}`,
		"folder with odd letters":  "{" + full + `,"workspaceFolders":[{"uri":"file:///tmp/a b/ñ%20c","name":"x"}]}`,
		"Windows URI":              "{" + full + `,"rootUri":"file:///c%3A/Users/x"}`,
		"untitled URI":             "{" + full + `,"rootUri":"untitled:Foo"}`,
		"remote URI":               "{" + full + `,"rootUri":"vscode-remote://wsl%2Bubuntu/home/x"}`,
		"empty rootUri":            "{" + full + `,"rootUri":""}`,
		"bad URI":                  "{" + full + `,"rootUri":"not a uri"}`,
		"lone surrogate":           `{"processId":1,"rootUri":null,"capabilities":{},"clientInfo":{"name":"\ud800x"}}`,
		"settings of a wrong type": "{" + full + `,"initializationOptions":{"carry":"much"}}`,
		"settings that are a word": "{" + full + `,"initializationOptions":"much"}`,
		"no params":                `null`,
		"params as a list":         `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, nil)
			got := e.Expect(1)
			if err := e.Frame([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + params + `}`)); err != nil {
				t.Fatal(err)
			}
			if _, err := got.Wait(soon(t)); err != nil {
				t.Errorf("initialize: %v", err)
			}
			if err := e.Notify("initialized", nil); err != nil {
				t.Fatal(err)
			}
			wantAlive(t, e)
		})
	}
}

func TestInitializeAnswersWithTheContract(t *testing.T) {
	e := serve(t, func(o *Options) {
		o.Commands, o.Run = nil, nil // the real ones
		o.Features = []string{"terminals"}
		o.Agents = func() map[string]string { return map[string]string{"claude": "native"} }
	})
	var got struct {
		ServerInfo   struct{ Name, Version string }
		Capabilities struct {
			ExecuteCommandProvider struct {
				Commands         []string
				WorkDoneProgress bool
			}
			Workspace struct {
				WorkspaceFolders struct{ Supported, ChangeNotifications bool }
			}
			Experimental map[string]json.RawMessage
		}
	}
	answer := initialize(t, e, editor.Options{})
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatal(err)
	}
	c := got.Capabilities
	if got.ServerInfo.Name != "sidefork" || got.ServerInfo.Version != "test" {
		t.Errorf("serverInfo is %+v", got.ServerInfo)
	}
	if !c.ExecuteCommandProvider.WorkDoneProgress || len(c.ExecuteCommandProvider.Commands) < 6 || c.ExecuteCommandProvider.Commands[0] != "sidefork.workspaces" {
		t.Errorf("executeCommandProvider is %+v", c.ExecuteCommandProvider)
	}
	if !c.Workspace.WorkspaceFolders.Supported || !c.Workspace.WorkspaceFolders.ChangeNotifications {
		t.Errorf("workspaceFolders is %+v", c.Workspace.WorkspaceFolders)
	}
	if form := string(c.Experimental["interactiveResolveProvider"]); form != `{"kinds":["command"]}` {
		t.Errorf("the form is offered as %s", form)
	}
	var own contract
	if err := json.Unmarshal(c.Experimental["sidefork"], &own); err != nil {
		t.Fatal(err)
	}
	features := strings.Join(own.Features, " ")
	if own.Contract != 1 || own.Platform == "" || own.Agents["claude"].Fork != "native" || !strings.HasPrefix(features, "workspaces sessions inspect plan fork carry") {
		t.Errorf("experimental.sidefork is %+v", own)
	}
	if !strings.HasSuffix(features, "terminals") {
		t.Errorf("features are %s", features)
	}
}

// What is not in the table is not offered.
func TestFeaturesFollowTheTable(t *testing.T) {
	e := serve(t, nil)
	if answer := initialize(t, e, editor.Options{}); !strings.Contains(string(answer), `"features":[],"agents":{}`) {
		t.Errorf("got %s", answer)
	}
}
