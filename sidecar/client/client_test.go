package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sidecar"
	"github.com/sidefork/sidefork/sidecar/client"
	"github.com/sidefork/sidefork/sidecar/frame"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// served is a sidecar on pipes whose commands are the test's, and a client of it.
func served(t *testing.T, opt client.Options, run func(ctx context.Context, name string, p commands.Progress) (any, *commands.Failure)) *client.Client {
	t.Helper()
	toServer, fromClient := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		sidecar.Serve(context.Background(), toServer, toClient, sidecar.Options{
			Version: "9", Getenv: func(string) string { return "" }, Commands: []commands.Command{{Name: "test.do", Title: "Do"}},
			Run: func(ctx context.Context, _ *commands.Env, name string, _ json.RawMessage, p commands.Progress) (any, *commands.Failure) {
				return run(ctx, name, p)
			},
		})
		toServer.Close()
		toClient.Close()
	}()
	c, err := client.Dial(t.Context(), fromServer, fromClient, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fromClient.Close()
		fromServer.Close()
		<-ended
	})
	return c
}

func do() map[string]any {
	return map[string]any{"command": "test.do", "arguments": []any{struct{}{}}, "workDoneToken": "t"}
}

func TestAClientHearsProgressThenTheAnswer(t *testing.T) {
	var heard []string
	c := served(t, client.Options{Notify: func(method string, _ json.RawMessage) { heard = append(heard, method) }},
		func(_ context.Context, _ string, p commands.Progress) (any, *commands.Failure) {
			p.Stage("op", commands.Creating, 10)
			return "done", nil
		})
	if c.Server.Version != "9" || c.Server.Contract != 1 || !c.Server.Serves("test.do") || c.Server.Cwd == "" {
		t.Errorf("the server told of itself %+v", c.Server)
	}
	result, err := c.Call(t.Context(), "workspace/executeCommand", do())
	if err != nil || string(result) != `"done"` {
		t.Errorf("%s, %v", result, err)
	}
	if len(heard) < 3 || heard[0] != "$/progress" {
		t.Errorf("heard %v", heard)
	}
	c.Close()
}

func TestACancelIsToldAndItsAnswerAwaited(t *testing.T) {
	running := make(chan struct{})
	c := served(t, client.Options{}, func(ctx context.Context, _ string, _ commands.Progress) (any, *commands.Failure) {
		close(running)
		<-ctx.Done()
		return commands.Cancelled{Status: "cancelled"}, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-running; cancel() }()
	result, err := c.Call(ctx, "workspace/executeCommand", do())
	if err != nil || string(result) != `{"status":"cancelled"}` {
		t.Errorf("%s, %v", result, err)
	}
	c.Close()
}

func TestARefusalComesWithItsData(t *testing.T) {
	c := served(t, client.Options{}, func(context.Context, string, commands.Progress) (any, *commands.Failure) {
		return nil, commands.Refuse("detached")
	})
	_, err := c.Call(t.Context(), "workspace/executeCommand", do())
	var f commands.Failure
	no, ok := errors.AsType[*client.Error](err)
	if !ok || json.Unmarshal(no.Data, &f) != nil || f.Reason.Code != "detached" || f.Effect != commands.Nothing {
		t.Errorf("%v", err)
	}
	if _, err := c.Call(t.Context(), "no/such", nil); err == nil || err.(*client.Error).Code != client.MethodNotFound {
		t.Errorf("an unknown request: %v", err)
	}
	c.Close()
}

// TestSilenceIsLossAndWorkIsNot: a command that takes long is waited for as long as the sidecar answers at all.
func TestSilenceIsLossAndWorkIsNot(t *testing.T) {
	const silence = 5 * time.Millisecond
	c := served(t, client.Options{Silence: silence}, func(context.Context, string, commands.Progress) (any, *commands.Failure) {
		time.Sleep(20 * silence) // the work
		return "done", nil
	})
	if _, err := c.Call(t.Context(), "workspace/executeCommand", do()); err != nil && !errors.Is(err, client.ErrLost) {
		t.Error(err) // on a machine that stood still it may be lost
	}

	// One that reads and says nothing after it has begun.
	in, out, fromClient, toServer := silent(t)
	c, err := client.Dial(t.Context(), in, out, client.Options{Silence: silence})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Call(t.Context(), "workspace/executeCommand", do()); !errors.Is(err, client.ErrLost) {
		t.Errorf("of silence: %v", err)
	}
	fromClient.Close()
	toServer.Close()
}

// silent is a server that answers initialize and nothing else, with what it would say of later contracts.
func silent(t *testing.T) (in io.Reader, out io.Writer, fromClient io.Closer, toServer io.Closer) {
	r, w := io.Pipe()
	r2, w2 := io.Pipe()
	go func() {
		reader := frame.NewReader(r2)
		_, _ = frame.Read(reader)
		_, _ = frame.Write(w, []byte(`{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"sidefork","version":"99","mood":"good"},
			"capabilities":{"new":{},"experimental":{"sidefork":{"contract":1,"features":["fork","telepathy"],"more":[1]}}},"later":true}}`))
		_, _ = frame.Write(w, []byte(`{"jsonrpc":"2.0","method":"sidefork/telepathy","params":{"a":1}}`))
		for {
			if _, err := frame.Read(reader); err != nil {
				return
			}
		}
	}()
	return r, w2, r, w2
}

func TestWhatANewerServerSaysBesidesIsIgnored(t *testing.T) {
	in, out, a, b := silent(t)
	defer a.Close()
	defer b.Close()
	c, err := client.Dial(t.Context(), in, out, client.Options{})
	if err != nil || c.Server.Version != "99" || !c.Server.Serves("telepathy") || c.Server.Serves("sidefork.fork") {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestTheEndOfTheOutputIsLoss(t *testing.T) {
	in, out, a, b := silent(t)
	c, err := client.Dial(t.Context(), in, out, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	b.Close()
	if _, err := c.Call(t.Context(), "workspace/executeCommand", do()); !errors.Is(err, client.ErrLost) {
		t.Errorf("%v", err)
	}
}
