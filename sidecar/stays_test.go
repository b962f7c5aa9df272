package sidecar

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/editor"
)

// TestWhatIsToFinishGoesOnWithoutItsClient: and what is not is cancelled by the same end.
func TestWhatIsToFinishGoesOnWithoutItsClient(t *testing.T) {
	for name, leave := range map[string]func(*editor.Editor) error{
		"end of input": (*editor.Editor).CloseInput,
		"exit":         (*editor.Editor).Exit,
	} {
		t.Run(name, func(t *testing.T) {
			running, may := make(chan string, 2), make(chan struct{})
			ends := make(chan string, 2)
			opt := testOptions()
			opt.Getenv = func(string) string { return "" }
			opt.Run = func(ctx context.Context, _ *commands.Env, _ string, argument json.RawMessage, _ commands.Progress) (any, *commands.Failure) {
				var a struct{ OnDisconnect string }
				_ = json.Unmarshal(argument, &a)
				running <- a.OnDisconnect
				select {
				case <-ctx.Done():
					ends <- a.OnDisconnect + " cancelled"
				case <-may:
					ends <- a.OnDisconnect + " done"
				}
				return "done", nil
			}
			e := editor.InProcess(func(in io.Reader, out io.Writer) int { return Serve(t.Context(), in, out, opt) })
			t.Cleanup(e.Close)
			initialize(t, e, editor.Options{})
			e.Execute("test.wait", args{"onDisconnect": "finish"}, nil)
			e.Execute("test.wait", args{"onDisconnect": "rollback"}, nil)
			<-running
			<-running
			if err := leave(e); err != nil {
				t.Fatal(err)
			}
			if got := <-ends; got != "rollback cancelled" {
				t.Errorf("the first end is %q", got)
			}
			close(may)
			if got := <-ends; got != "finish done" {
				t.Errorf("the second end is %q", got)
			}
			wantStatus(t, e, 1)
		})
	}
}

// TestWhatGoesOnEndsWhenThatIsAskedFor: the machine is shut down.
func TestWhatGoesOnEndsWhenThatIsAskedFor(t *testing.T) {
	ctx, shutDown := context.WithCancel(t.Context())
	running, cancelled := make(chan struct{}), make(chan struct{})
	opt := testOptions()
	opt.Getenv = func(string) string { return "" }
	opt.Run = func(ctx context.Context, _ *commands.Env, _ string, _ json.RawMessage, _ commands.Progress) (any, *commands.Failure) {
		close(running)
		<-ctx.Done()
		close(cancelled)
		return nil, nil
	}
	e := editor.InProcess(func(in io.Reader, out io.Writer) int { return Serve(ctx, in, out, opt) })
	t.Cleanup(e.Close)
	initialize(t, e, editor.Options{})
	e.Execute("test.wait", args{"onDisconnect": "finish"}, nil)
	<-running
	_ = e.CloseInput()
	select {
	case <-cancelled:
		t.Error("it was cancelled by the end of the input")
	default:
	}
	shutDown()
	<-cancelled
	wantStatus(t, e, 1)
}
