package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/editor"
)

func TestOtherRequestsAreAnsweredWhileACommandRuns(t *testing.T) {
	e := serveReady(t, nil)
	slow := waiting(t, e, "t")
	wantAlive(t, e)
	select {
	case <-slow.Done():
		t.Error("the command had ended")
	default:
	}
}

func TestCancelWorksByEveryName(t *testing.T) {
	for name, test := range map[string]struct {
		id, token any
		by        func(e *editor.Editor, id, token any) error
	}{
		"number id":    {7, "t", func(e *editor.Editor, id, _ any) error { return e.Cancel(id) }},
		"string id":    {"abc", "t", func(e *editor.Editor, id, _ any) error { return e.Cancel(id) }},
		"string token": {7, "t", func(e *editor.Editor, _, token any) error { return e.CancelToken(token) }},
		"number token": {7, 3, func(e *editor.Editor, _, token any) error { return e.CancelToken(token) }},
	} {
		t.Run(name, func(t *testing.T) {
			e := serveReady(t, nil)
			params := args{"command": "test.wait", "arguments": []any{args{"operationId": "op"}}, "workDoneToken": test.token}
			c := e.CallAs(test.id, "workspace/executeCommand", params)
			other := waiting(t, e, "other")
			if _, err := c.Stages.Await(soon(t), editor.IsStage("creating")); err != nil {
				t.Fatal(err)
			}
			if err := test.by(e, test.id, test.token); err != nil {
				t.Fatal(err)
			}
			wantCancelled(t, c)
			wantProgress(t, c.Progress, "begin 0 Wait", "report 20 Creating workspace", "end Cancelled")
			select {
			case <-other.Done():
				t.Error("another command was cancelled as well")
			default:
			}
		})
	}
}

// The string "7" and the number 7 are different names.
func TestCancelDoesNotMistakeANumberForAString(t *testing.T) {
	e := serveReady(t, nil)
	number, text := waiting(t, e, 7), waiting(t, e, "7")
	if err := e.CancelToken("7"); err != nil {
		t.Fatal(err)
	}
	wantCancelled(t, text)
	wantAlive(t, e)
	select {
	case <-number.Done():
		t.Error("the number's command was cancelled")
	default:
	}
}

// A cancel in the same write as its command must find it.
func TestACancelThatFollowsAtOnceIsNeverLost(t *testing.T) {
	const n = 100
	for name, cancel := range map[string]func(i int) editor.Sent{
		"by id": func(i int) editor.Sent { return editor.Sent{Method: "$/cancelRequest", Params: args{"id": 100 + i}} },
		"by token": func(i int) editor.Sent {
			return editor.Sent{Method: "window/workDoneProgress/cancel", Params: args{"token": i}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := serveReady(t, nil)
			var all []editor.Sent
			for i := range n {
				params := args{"command": "test.wait", "arguments": []any{args{}}, "workDoneToken": i}
				all = append(all, editor.Sent{ID: 100 + i, Method: "workspace/executeCommand", Params: params}, cancel(i))
			}
			calls, err := e.Together(all...)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range calls {
				wantCancelled(t, c)
			}
		})
	}
}

func TestAThousandCommandsAreCancelled(t *testing.T) {
	e := serveReady(t, nil)
	var calls []*editor.Call
	for i := range 1000 {
		calls = append(calls, e.Execute("test.wait", args{}, fmt.Sprint("k", i)))
	}
	for _, c := range calls {
		if err := e.Cancel(c.ID); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range calls {
		wantCancelled(t, c)
	}
	wantAlive(t, e)
}

func TestAPanicIsAnsweredAndSurvived(t *testing.T) {
	e := serveReady(t, nil)
	c := e.Execute("test.panic", args{"operationId": "op"}, "t")
	f := wantError(t, c, -32603)
	if f.Reason.Code != "internal" || f.Effect != "unknown" {
		t.Errorf("the failure is %+v", f)
	}
	wantProgress(t, c.Progress, "begin 0 Panic", "report 5 Preparing", "end Failed")
	wantAlive(t, e)
}

func TestFailuresCarryTheirData(t *testing.T) {
	e := serveReady(t, nil)
	for code, want := range map[string]int{"detached": -32803, "carryFailed": -32803, "invalidArgument": -32602, "unknownCommand": -32602, "internal": -32603} {
		c := e.Execute("test.fail", args{"operationId": "op" + code, "code": code, "effect": "rolledBack"}, code)
		f := wantError(t, c, want)
		if f.Reason.Code != code || f.Reason.Message == "" || f.Effect != "rolledBack" || f.Detail != "the detail" {
			t.Errorf("%s: the failure is %+v", code, f)
		}
		wantProgress(t, c.Progress, "begin 0 Fail", "report 5 Preparing", "end Failed")
	}
	if f := wantError(t, e.Execute("test.nothing", args{}, nil), -32602); f.Reason.Code != "unknownCommand" || f.Effect != "nothing" {
		t.Errorf("an unknown command: %+v", f)
	}
}

func TestAnArgumentIsExactlyOneObject(t *testing.T) {
	e := serveReady(t, nil)
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for params, reason := range map[string]string{
		`{"command":"test.ping","arguments":[{}]}`:                               "",
		`{"command":"test.ping","arguments":[[]]}`:                               "", // an empty Lua table
		`{"command":"test.ping","arguments":[[ ]],"futureField":1}`:              "",
		`{"command":"test.ping","arguments":[{}],"formAnswers":null}`:            "",
		`{"command":"test.ping","arguments":[{}],"formAnswers":[]}`:              "",
		`{"command":"test.ping","arguments":[{}],"formAnswers":{}}`:              "",
		`{"command":"test.ping","arguments":[{}],"formAnswers":[{"id":"name"}]}`: "unknownCommand",
		`{"command":"test.ping"}`:                                                "invalidArgument",
		`{"command":"test.ping","arguments":null}`:                               "invalidArgument",
		`{"command":"test.ping","arguments":[]}`:                                 "invalidArgument",
		`{"command":"test.ping","arguments":[{},{}]}`:                            "invalidArgument",
		`{"command":"test.ping","arguments":["x"]}`:                              "invalidArgument",
		`{"command":"test.ping","arguments":[null]}`:                             "invalidArgument",
		`{"command":"test.ping","arguments":[[{}]]}`:                             "invalidArgument",
		`{"command":"test.ping","arguments":{}}`:                                 "invalidArgument",
		`{"command":5,"arguments":[{}]}`:                                         "invalidArgument",
		`{"arguments":[{}]}`:                                                     "unknownCommand",
		`{"command":"test.ping","arguments":[{}],"workDoneToken":[]}`:            "invalidArgument",
		`[1]`:  "invalidArgument",
		`null`: "invalidArgument",
	} {
		c := e.Call("workspace/executeCommand", raw(params))
		got, err := c.Wait(soon(t))
		code := ""
		if failed, ok := err.(*editor.Error); ok {
			code = failed.Failure().Reason.Code
		}
		if code != reason || reason == "" && err != nil {
			t.Errorf("%s: %s, %v; want reason %q", params, got, err, reason)
		}
	}
	wantError(t, e.Call("workspace/executeCommand", nil), -32602)
}

func TestProgressNeverGoesBackAndAlwaysEnds(t *testing.T) {
	e := serveReady(t, nil)
	c := e.Execute("test.stages", args{"operationId": "op"}, "t")
	if _, err := c.Wait(soon(t)); err != nil {
		t.Fatal(err)
	}
	wantProgress(t, c.Progress, "begin 0 Stages", "report 0 Preparing", "report 40 Creating workspace", "report 40 Copying changes",
		"report 60 a.txt", "report 100 Starting agent", "end Done")
	if got := c.Stages.All(); !slices.Equal(got, []string{"preparing", "creating", "copying", "starting"}) {
		t.Errorf("sidefork/stage said %v", got)
	}
	if first := c.Progress.All()[0]; !first.Cancellable {
		t.Error("begin is not cancellable")
	}
	// In the order of the wire: begin first, each stage beside its report, end before the answer.
	var order []string
	for _, n := range e.Notifications.All() {
		order = append(order, n.Method)
	}
	want := "$/progress $/progress sidefork/stage $/progress sidefork/stage $/progress sidefork/stage $/progress $/progress sidefork/stage $/progress"
	if strings.Join(order, " ") != want {
		t.Errorf("the notifications came as %v", order)
	}
}

func TestTheServerMakesATokenOnlyWhereItMay(t *testing.T) {
	t.Run("allowed", func(t *testing.T) {
		e := serveReady(t, nil)
		c := e.Execute("test.wait", args{"operationId": "op"}, nil)
		request, err := e.Requests.Await(soon(t), func(r editor.Request) bool { return r.Method == "window/workDoneProgress/create" })
		if err != nil {
			t.Fatal(err)
		}
		var p struct{ Token string }
		if err := json.Unmarshal(request.Params, &p); err != nil {
			t.Fatal(err)
		}
		progress := e.Progress(p.Token)
		if _, err := progress.Await(soon(t), func(p editor.Progress) bool { return p.Message == "Creating workspace" }); err != nil {
			t.Fatal(err)
		}
		if err := e.CancelToken(p.Token); err != nil {
			t.Fatal(err)
		}
		wantCancelled(t, c)
		wantProgress(t, progress, "begin 0 Wait", "report 20 Creating workspace", "end Cancelled")
	})
	t.Run("not announced", func(t *testing.T) {
		e := serve(t, nil)
		initialize(t, e, editor.Options{NoProgress: true})
		if _, err := e.Execute("test.stages", args{"operationId": "op"}, nil).Wait(soon(t)); err != nil {
			t.Fatal(err)
		}
		for _, n := range e.Notifications.All() {
			if n.Method == "$/progress" {
				t.Errorf("progress without a token: %s", n.Params)
			}
		}
		if got := e.Requests.All(); len(got) > 0 {
			t.Errorf("the server asked %v", got)
		}
	})
	t.Run("a quick command", func(t *testing.T) {
		e := serveReady(t, nil)
		wantAlive(t, e)
		if got := e.Requests.All(); len(got) > 0 {
			t.Errorf("the server asked %v", got)
		}
	})
	for name, answer := range map[string]editor.Answer{
		"refused":        func(editor.Request) (any, *editor.Error, bool) { return nil, &editor.Error{Code: -32601}, true },
		"never answered": func(editor.Request) (any, *editor.Error, bool) { return nil, nil, false },
	} {
		t.Run(name, func(t *testing.T) {
			e := serveReady(t, nil)
			e.Answering(answer)
			c := e.Execute("test.stages", args{"operationId": "op"}, nil)
			if _, err := c.Wait(soon(t)); err != nil {
				t.Errorf("the command did not run: %v", err)
			}
			if got := e.Progress("sidefork-1").All(); len(got) > 0 {
				t.Errorf("progress on a token that was not made: %v", got)
			}
		})
	}
}

func TestNoCommandRunsBeforeTheRecovery(t *testing.T) {
	release, asked := make(chan struct{}), make(chan []string, 10)
	recovered := false
	e := serve(t, func(o *Options) {
		o.Recover = func(ctx context.Context, env *commands.Env) {
			asked <- env.Folders
			select {
			case <-release:
				recovered = true // read by the command below, without a lock: the gate orders them
			case <-ctx.Done():
			}
		}
		o.Run = func(context.Context, *commands.Env, string, json.RawMessage, commands.Progress) (any, *commands.Failure) {
			return recovered, nil
		}
	})
	initialize(t, e, editor.Options{Folders: []string{"/a b"}})
	if got := <-asked; !slices.Equal(got, []string{"/a b"}) {
		t.Errorf("recovery was asked for %v", got)
	}
	early := e.Execute("test.ping", args{}, "early")
	if _, err := early.Progress.Await(soon(t), editor.IsKind("begin")); err != nil {
		t.Fatal(err)
	}
	if err := e.Cancel(early.ID); err != nil {
		t.Fatal(err)
	}
	wantCancelled(t, early)
	late := e.Execute("test.ping", args{}, nil)
	close(release)
	if got, err := late.Wait(soon(t)); err != nil || string(got) != "true" {
		t.Errorf("the command ran before the recovery: %s, %v", got, err)
	}
	if err := e.Notify("workspace/didChangeWorkspaceFolders", args{"event": args{"added": []any{args{"uri": "file:///c"}, args{"uri": "file:///a%20b"}}, "removed": []any{}}}); err != nil {
		t.Fatal(err)
	}
	if got := <-asked; !slices.Equal(got, []string{"/c"}) {
		t.Errorf("recovery was asked for %v; want the added folder", got)
	}
}

func TestARecoveryThatPanicsLetsCommandsRun(t *testing.T) {
	e := serveReady(t, func(o *Options) { o.Recover = func(context.Context, *commands.Env) { panic("boom") } })
	wantAlive(t, e)
}

// What a command may do beside its answer.
func TestCommandsNotifyAndGoOnInTheBackground(t *testing.T) {
	ended := make(chan error, 1)
	e := serveReady(t, func(o *Options) {
		o.Run = func(_ context.Context, env *commands.Env, _ string, _ json.RawMessage, _ commands.Progress) (any, *commands.Failure) {
			env.Background(func(ctx context.Context) {
				env.Notify("sidefork/started", args{"operationId": "op"})
				<-ctx.Done()
				ended <- ctx.Err()
			})
			env.Background(func(context.Context) { panic("boom") })
			return nil, nil
		}
	})
	if got, err := e.Execute("test.ping", args{}, nil).Wait(soon(t)); err != nil || string(got) != "null" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := e.Notifications.Await(soon(t), editor.IsMethod("sidefork/started")); err != nil {
		t.Error(err)
	}
	if status, err := e.Quit(soon(t)); status != 0 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	if err := <-ended; err == nil {
		t.Error("the background was not told of the end")
	}
}

func TestAResultThatCannotBeWrittenIsAnInternalError(t *testing.T) {
	e := serveReady(t, func(o *Options) {
		o.Run = func(context.Context, *commands.Env, string, json.RawMessage, commands.Progress) (any, *commands.Failure) {
			return make(chan int), nil
		}
	})
	if f := wantError(t, e.Execute("test.ping", args{}, nil), -32603); f.Reason.Code != "internal" {
		t.Errorf("got %+v", f)
	}
}

// wantProgress compares a token's values, as "kind percentage title-or-message".
func wantProgress(t *testing.T, feed *editor.Feed[editor.Progress], want ...string) {
	t.Helper()
	if _, err := feed.Await(soon(t), editor.IsKind("end")); err != nil {
		t.Errorf("progress did not end: %v", err)
	}
	var got []string
	for _, p := range feed.All() {
		text := p.Kind
		if p.Percentage != nil {
			text += fmt.Sprintf(" %d", *p.Percentage)
		}
		got = append(got, text+" "+p.Title+p.Message)
	}
	if !slices.Equal(got, want) {
		t.Errorf("progress was %q; want %q", got, want)
	}
}

// What outlives its answer has a progress of its own, which cancels it and nothing else; the end of the server ends it too.
func TestATaskIsCancelledByItsOwnProgressOrTheEnd(t *testing.T) {
	ended := make(chan string, 2)
	e := serveReady(t, func(o *Options) {
		o.Run = func(_ context.Context, env *commands.Env, _ string, argument json.RawMessage, _ commands.Progress) (any, *commands.Failure) {
			var a struct{ Text string }
			_ = json.Unmarshal(argument, &a)
			env.Task(a.Text, func(ctx context.Context) {
				<-ctx.Done()
				ended <- a.Text
			})
			return nil, nil
		}
	})
	for i, title := range []string{"first", "second"} {
		c := e.CallAs(i, "workspace/executeCommand", args{"command": "test.ping", "arguments": []any{args{"text": title}}})
		if _, err := c.Wait(soon(t)); err != nil {
			t.Fatal(err)
		}
		token := fmt.Sprintf("sidefork-%d", i+1)
		if _, err := e.Progress(token).Await(soon(t), func(p editor.Progress) bool { return p.Kind == "begin" && p.Title == title && p.Cancellable }); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Cancel(0); err != nil { // a request's number is no task's
		t.Fatal(err)
	}
	if err := e.CancelToken("sidefork-2"); err != nil {
		t.Fatal(err)
	}
	if got := <-ended; got != "second" {
		t.Errorf("%s was cancelled", got)
	}
	if _, err := e.Progress("sidefork-2").Await(soon(t), func(p editor.Progress) bool { return p.Kind == "end" }); err != nil {
		t.Error(err)
	}
	if status, err := e.Quit(soon(t)); status != 0 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	if got := <-ended; got != "first" {
		t.Errorf("%s was told of the end", got)
	}
}

// A client is told in its own language: errors, stages, warnings of notifications. Codes and arguments stay.
func TestAClientIsToldInItsLanguage(t *testing.T) {
	e := serve(t, func(o *Options) {
		run := o.Run
		o.Run = func(ctx context.Context, env *commands.Env, name string, argument json.RawMessage, p commands.Progress) (any, *commands.Failure) {
			if name != "test.env" {
				return run(ctx, env, name, argument, p)
			}
			env.Notify("sidefork/started", map[string]any{"warning": commands.Refuse("startUnknown").Reason})
			return map[string]any{"reason": commands.Refuse("nameTaken", "name", "x", "suggestion", "x-2").Reason}, nil
		}
	})
	initialize(t, e, editor.Options{Locale: "fr-CA"})
	c := e.Execute("test.stages", args{"operationId": "op"}, "t")
	if _, err := c.Wait(soon(t)); err != nil {
		t.Fatal(err)
	}
	wantProgress(t, c.Progress, "begin 0 Stages", "report 0 Préparation", "report 40 Création de l'espace de travail", "report 40 Copie des changements", "report 60 a.txt", "report 100 Démarrage de l'agent", "end Terminé")
	if f := wantError(t, e.Execute("test.fail", args{"operationId": "op", "code": "unborn"}, nil), -32803); f.Reason.Code != "unborn" || f.Reason.Message != "La branche n'a pas encore de commit." {
		t.Errorf("%+v", f)
	}
	for settings, want := range map[string]string{
		`{}`:                  `"args":{"name":"x","suggestion":"x-2"},"code":"nameTaken","message":"La branche x existe déjà."`,
		`{"language":"ja"}`:   `"message":"ブランチ x はすでにあります。"`,
		`{"language":"en"}`:   `"message":"The branch x exists already."`,
		`{"language":"none"}`: `existe déjà`, // it is wrong, and named in the log
	} {
		if err := e.Notify("workspace/didChangeConfiguration", args{"settings": json.RawMessage(settings)}); err != nil {
			t.Fatal(err)
		}
		raw, err := e.Execute("test.env", args{}, nil).Wait(soon(t))
		if err != nil || settings != `{"language":"none"}` && !strings.Contains(string(raw), want) {
			t.Errorf("%s: %s, %v", settings, raw, err)
		}
	}
	if _, err := e.Notifications.Await(soon(t), func(n editor.Notification) bool {
		return n.Method == "sidefork/started" && strings.Contains(string(n.Params), "On n'a pas vu l'agent démarrer.")
	}); err != nil {
		t.Error(err)
	}
}
