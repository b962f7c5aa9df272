package claude

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// counted counts the bytes that are read.
type counted struct {
	io.ReaderAt
	read int64
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.read += int64(n)
	return n, err
}

// message is a line as Claude Code writes it, with the cwd behind the message.
func message(role, text, cwd, stamp string) string {
	return `{"parentUuid":null,"isSidechain":false,"type":"` + role + `","message":{"role":"` + role + `","content":` + text +
		`},"uuid":"u","timestamp":"` + stamp + `","cwd":"` + cwd + `","sessionId":"s","gitBranch":"main"}` + "\n"
}

func TestReadIsBoundedInAHugeTranscript(t *testing.T) {
	const size, limit = 500 << 20, headLimit + 2*tailLimit
	head := message("user", `"hello"`, "/w", "2026-01-01T00:00:00Z")
	tail := "\n" + message("assistant", `"bye"`, "/w", "2026-01-02T00:00:00Z") + `{"type":"custom-title","customTitle":"big"}` + "\n"
	for name, start := range map[string]string{"with a head": head, "a hole from the start": ""} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Create(filepath.Join(t.TempDir(), "sparse"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString(start); err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteAt([]byte(tail), size-int64(len(tail))); err != nil {
				t.Fatal(err)
			}
			r := &counted{ReaderAt: f}
			got, err := read(r, size)
			if err != nil || got.custom != "big" || !got.talk || got.last.Day() != 2 {
				t.Errorf("got %+v, %v", got, err)
			}
			if start != "" && (got.prompt != "hello" || got.cwd != "/w") {
				t.Errorf("got %+v", got)
			}
			if r.read > limit {
				t.Errorf("read %d bytes of %d", r.read, size)
			}
		})
	}
}

func TestReadOfALongTranscriptIsItsHeadAndTail(t *testing.T) {
	var text strings.Builder
	text.WriteString(message("user", `"first"`, "/w", "2026-01-01T00:00:00Z"))
	for text.Len() < 4<<20 {
		text.WriteString(message("assistant", `"`+strings.Repeat("word ", 100)+`"`, "/w/sub", "2026-01-01T00:00:01Z"))
	}
	text.WriteString(message("user", `"last"`, "/w/sub", "2026-01-03T00:00:00Z"))
	r := &counted{ReaderAt: strings.NewReader(text.String())}
	got, err := read(r, int64(text.Len()))
	if err != nil || got.prompt != "first" || got.cwd != "/w" || got.last.Day() != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
	if r.read > headWanted*2+tailLimit {
		t.Errorf("read %d bytes", r.read)
	}
}

func TestTimeOfALineLongerThanTheTailIsFound(t *testing.T) {
	text := message("user", `"hello"`, "/w", "2026-01-01T00:00:00Z") +
		message("assistant", `"`+strings.Repeat("x", headWanted)+`"`, "/w", "2026-01-01T00:00:01Z") + // where the head ends
		`{"type":"attachment","attachment":{"systemPrompt":["` + strings.Repeat("x", 2*tailLimit) + `"]},"timestamp":"2026-01-05T00:00:00.123Z","cwd":"/w"}`
	for _, end := range []string{"", "\n"} {
		got, err := read(strings.NewReader(text+end), int64(len(text+end)))
		if want := time.Date(2026, 1, 5, 0, 0, 0, 123e6, time.UTC); err != nil || !got.last.Equal(want) {
			t.Errorf("last activity %v, %v", got.last, err)
		}
	}
}

func TestFirstPromptBehindAPastedPictureIsFound(t *testing.T) {
	picture := `[{"type":"image","source":{"type":"base64","data":"` + strings.Repeat("A\\/", 2<<20) + `"}},{"type":"text","text":"look \ud83d\ude00"}]`
	text := message("user", picture, "/w", "2026-01-01T00:00:00Z") + message("assistant", `"ok"`, "/w", "2026-01-02T00:00:00Z")
	got, err := read(strings.NewReader(text), int64(len(text)))
	if err != nil || got.prompt != "look \U0001F600" || got.cwd != "/w" || !got.talk {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestLaunchFolderIsFoundWhereTheFirstLineIsTooLong(t *testing.T) {
	home, homes := newHome(t)
	picture := `[{"type":"image","source":{"data":"` + strings.Repeat("A", headLimit) + `"}},{"type":"text","text":"look"}]`
	text := message("user", picture, "/w", "2026-01-01T00:00:00Z") + message("assistant", `"ok"`, "/w/sub", "2026-01-02T00:00:00Z")
	put(t, home, "/w", "22222222-0000-4000-8000-000000000000", []byte(text))
	sessions, _ := list(t.Context(), nil, homes, []string{"/w"})
	if len(sessions) != 1 || sessions[0].Cwd != "/w" || sessions[0].NotForkable != nil {
		t.Errorf("got %+v", sessions)
	}
}

func TestTitlesAreTheLastAndTheUsersBeforeTheAgents(t *testing.T) {
	text := `{"type":"custom-title","customTitle":"one"}
{"type":"ai-title","aiTitle":"made up"}
` + message("user", `"hello"`, "/w", "2026-01-01T00:00:00Z") + `{"type":"custom-title","customTitle":"two"}
{"type":"ai-title","aiTitle":"made up later"}
`
	got, _ := read(bytes.NewReader([]byte(text)), int64(len(text)))
	if got.custom != "two" || got.ai != "made up later" {
		t.Errorf("got %+v", got)
	}
}

func TestAClockThatWentBackDoesNotMakeASessionOlder(t *testing.T) {
	text := message("user", `"hello"`, "/w", "2026-01-09T00:00:00Z") + strings.Repeat(message("assistant", `"ok"`, "/w", "2026-01-01T00:00:00Z"), 1000)
	got, err := read(strings.NewReader(text), int64(len(text)))
	if err != nil || got.last.Day() != 9 {
		t.Errorf("last activity %v, %v", got.last, err)
	}
}

func TestThePromptIsThePersons(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"a text", `{"type":"user","message":{"content":"hello"}}`, "hello"},
		{"parts", `{"type":"user","message":{"content":[{"type":"image"},{"type":"text","text":"look"},{"type":"text","text":"more"}]}}`, "look"},
		{"a note of the program", `{"type":"user","isMeta":true,"message":{"content":"Caveat"}}`, ""},
		{"a summary", `{"type":"user","isCompactSummary":true,"message":{"content":"Before"}}`, ""},
		{"a tool's result", `{"type":"user","message":{"content":[{"type":"text","text":"x"},{"type":"tool_result","content":"y"}]}}`, ""},
		{"a command", `{"type":"user","message":{"content":"<command-name>/clear</command-name>"}}`, ""},
		{"the answer", `{"type":"assistant","message":{"content":"hello"}}`, ""},
		{"a subagent's", `{"type":"user","isSidechain":true,"message":{"content":"hello"}}`, ""},
		{"no content", `{"type":"user","message":{"content":null}}`, ""},
		{"no object", `{"type":"user","message":"hello"}`, ""},
	}
	for _, test := range tests {
		if got, err := read(strings.NewReader(test.line), int64(len(test.line))); err != nil || got.prompt != test.want {
			t.Errorf("%s: %q, %v", test.name, got.prompt, err)
		}
	}
}

func TestTheParentIsTheLastSessionThatACopiedLineNames(t *testing.T) {
	text := `{"type":"user","message":{"content":"x"},"forkedFrom":{"sessionId":"a","messageUuid":"m"}}
{"type":"assistant","message":{"content":"x"},"requestSessionId":"b"}
{"type":"assistant","message":{"content":"x"},"requestSessionId":"c"}
{"type":"user","message":{"content":"its own"}}
`
	for lines, want := range []string{"", "a", "b", "c", "c"} {
		part := strings.Join(strings.SplitAfter(text, "\n")[:lines], "")
		if got, err := read(strings.NewReader(part), int64(len(part))); err != nil || got.parent != want {
			t.Errorf("of %d lines: %q, %v", lines, got.parent, err)
		}
	}
}
