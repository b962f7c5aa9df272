package editor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestAFeedGivesWhatCameAndWhatComes(t *testing.T) {
	f := newFeed[int]()
	f.add(1)
	seen := make(chan []int)
	go func() { seen <- slices.Collect(f.Each(soon(t))) }()
	go func() { f.add(2); f.add(3); f.close(ErrGone) }()
	if got, err := f.Await(soon(t), func(i int) bool { return i > 1 }); got != 2 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	if got := <-seen; !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("each gave %v", got)
	}
	if _, err := f.Await(soon(t), func(i int) bool { return i > 3 }); !errors.Is(err, ErrGone) {
		t.Errorf("a wait for what never came gave %v", err)
	}
}

// A server that breaks the protocol ends the test that plays with it, and says how.
func TestTheEditorTakesNothingButTheProtocol(t *testing.T) {
	frame := func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }
	for says, want := range map[string]string{
		"a line for a person\n\n":                       "no frame",
		"content-length: 2\r\n\r\n{}":                   "no frame",
		frame(`{"id":1,"result":null}`):                 "no JSON-RPC",
		frame(`{"jsonrpc":"2.0","id":9,"result":null}`): "an answer to no request",
		frame(`{"jsonrpc":"2.0","id":1}`):               "neither result nor error",
		"":                                              "gone",
	} {
		e := InProcess(func(in io.Reader, out io.Writer) int {
			_, _ = bufio.NewReader(in).ReadString('}')
			_, _ = io.WriteString(out, says)
			return 0
		})
		_, err := e.Initialize(soon(t), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", says, err, want)
		}
		e.Close()
	}
}
