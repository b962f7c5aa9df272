package sidecar

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/sidefork/sidefork/sidecar/frame"
)

// writes counts writes.
type writes struct {
	n    int
	last []byte
}

func (w *writes) Write(b []byte) (int, error) {
	w.n, w.last = w.n+1, bytes.Clone(b)
	return len(b), nil
}

func TestAMessageIsOneWrite(t *testing.T) {
	var out writes
	s := newStream(strings.NewReader(""), &out, func(error) {})
	message, err := jsonrpc2.NewNotification("x", map[string]string{"text": strings.Repeat("a", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(context.Background(), message); err != nil {
		t.Fatal(err)
	}
	s.refuse(jsonrpc2.NewError(jsonrpc2.ParseError, "x"))
	if out.n != 2 {
		t.Errorf("two messages were %d writes", out.n)
	}
	body := `{"error":{"code":-32700,"message":"x"},"id":null,"jsonrpc":"2.0"}`
	if want := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body); string(out.last) != want {
		t.Errorf("the refusal was %q", out.last)
	}
}

// Three answers to one request of ours, and one to none, would block the library's read loop.
func TestOnlyTheFirstAnswerIsTaken(t *testing.T) {
	answer := framed(`{"jsonrpc":"2.0","id":1,"result":null}`)
	input := strings.Repeat(answer, 3) + framed(`{"jsonrpc":"2.0","id":2,"result":null}`) + framed(`{"jsonrpc":"2.0","method":"x"}`)
	s := newStream(strings.NewReader(input), io.Discard, func(error) {})
	var bad int
	s.bad = func(error) { bad++ }
	call, err := jsonrpc2.NewCall(jsonrpc2.NewNumberID(1), "y", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(context.Background(), call); err != nil {
		t.Fatal(err)
	}
	first, _, err := s.Read(context.Background())
	if _, ok := first.(*jsonrpc2.Response); !ok || err != nil {
		t.Errorf("the answer was read as %T, %v", first, err)
	}
	second, _, err := s.Read(context.Background())
	if _, ok := second.(*jsonrpc2.Notification); !ok || err != nil || bad != 3 {
		t.Errorf("after it came %T, %v, and %d messages were dropped; want 3", second, err, bad)
	}
}

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func TestAWriteErrorEndsTheServer(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close()
	var ended error
	s := newStream(strings.NewReader(""), w, func(err error) { ended = err })
	message, _ := jsonrpc2.NewNotification("x", nil)
	if _, err := s.Write(context.Background(), message); err == nil || !errors.Is(ended, io.ErrClosedPipe) {
		t.Errorf("the write gave %v, the end %v", err, ended)
	}
}

func TestWholeNumbersLosesNoValue(t *testing.T) {
	for in, want := range map[string]string{
		`1.0`:                        `1`,
		`-12.000`:                    `-12`,
		`[1.0,2.0]`:                  `[1,2]`,
		`1.05`:                       `1.05`,
		`1.0e3`:                      `1.0e3`,
		`1.0E3`:                      `1.0E3`,
		`0.0`:                        `0`,
		`10.5`:                       `10.5`,
		`"1.0"`:                      `"1.0"`,
		`"\"1.0"`:                    `"\"1.0"`,
		`"\\",1.0`:                   `"\\",1`,
		`{"a.0":1.0,"b":"x\\\"1.0"}`: `{"a.0":1,"b":"x\\\"1.0"}`,
	} {
		if got := string(wholeNumbers([]byte(in))); got != want {
			t.Errorf("%s became %s; want %s", in, got, want)
		}
	}
}

// Whatever comes, reading ends, allocates by what came, and gives back a body that was in the input; whatever is in the
// body, decoding gives a message or an answer.
func FuzzReadFrame(f *testing.F) {
	for _, seed := range []string{
		"Content-Length: 2\r\n\r\n{}", "content-length:2\n\n[]", "Content-Length: 2000000000\r\n\r\n{", "hello\r\n\r\n", "\r\n\r\n", "",
		"Content-Length: 40\r\n\r\n" + `{"jsonrpc":"2.0","id":1.0,"method":"x"}` + "\n", `Content-Length: -1` + "\r\n\r\n",
		"Content-Length: 0\r\n\r\nContent-Length: 4\r\n\r\ntrue", "Content-Length: 36\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"result":[]}`,
		"Content-Length: 5\r\n\r\n\"\\\".0",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		in := frame.NewReader(bytes.NewReader(input))
		for {
			body, err := frame.Read(in)
			if err != nil {
				_, broken := errors.AsType[frame.Broken](err)
				if !broken && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("an error of a kind that nobody handles: %v", err)
				}
				return
			}
			if !bytes.Contains(input, body) || cap(body) > 2*len(input)+128<<10 {
				t.Fatalf("a body of %d bytes, capacity %d, of %d bytes", len(body), cap(body), len(input))
			}
			message, err := decode(body)
			if _, answer := errors.AsType[*jsonrpc2.Error](err); err != nil && !answer && !errors.Is(err, errUnanswerable) {
				t.Fatalf("%q: an error that cannot be answered: %v", body, err)
			}
			if err == nil && message == nil {
				t.Fatalf("%q: neither message nor error", body)
			}
			if json.Valid(body) {
				var before, after any
				if json.Unmarshal(body, &before) != nil || json.Unmarshal(wholeNumbers(body), &after) != nil || fmt.Sprint(before) != fmt.Sprint(after) {
					t.Fatalf("wholeNumbers changed %q to %q", body, wholeNumbers(body))
				}
			}
		}
	})
}
