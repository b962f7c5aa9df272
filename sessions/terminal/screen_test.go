package terminal

import (
	"strconv"
	"strings"
	"testing"
)

func TestTheTranscriptIsWhatTheTerminalShowed(t *testing.T) {
	for name, test := range map[string]struct{ written, want string }{
		"plain lines":                        {"one\r\ntwo\r\n", "one\ntwo\n"},
		"colours are no text":                {"\x1b[31mred\x1b[0m \x1b]0;title\x07end", "red end\n"},
		"a line drawn anew":                  {"10%\r20%\r\x1b[K100%\r\n", "100%\n"},
		"a spinner that moves up":            {"a\r\nwait\r\n\x1b[1A\x1b[2Kdone\r\n", "a\ndone\n"},
		"what scrolls off stays":             {"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7", "1\n2\n3\n4\n5\n6\n7\n"},
		"a screen cleared for a frame":       {"frame 1\x1b[H\x1b[2Jframe 2", "frame 2\n"},
		"the past that a terminal forgets":   {"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n\x1b[3J\x1b[Hnew", "new\n"},
		"the alternate screen while it is":   {"$ agent\r\n\x1b[?1049h\x1b[Hhello", "$ agent\nhello\n"},
		"the alternate screen when left":     {"$ agent\r\n\x1b[?1049h\x1b[Hhello\x1b[?1049l$ ", "hello\n$ agent\n$\n"},
		"what a frame before it showed":      {"\x1b[?1049h\x1b[Hone\x1b[H\x1b[2Jtwo\x1b[?1049lend", "two\nend\n"},
		"wide letters and joined ones":       {"日本 e\u0301 👍🏽", "日本 e\u0301 👍🏽\n"},
		"bytes that are no text":             {"a\xff\xfeb", "ab\n"},
		"a question that a terminal answers": {"\x1b[c\x1b[6n\x1b]11;?\x07ok", "ok\n"},
		"a letter a billion times":           {"x\x1b[1000000000bend", "xend\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScreen(20, 5, 1<<10)
			defer s.Close()
			_, _ = s.Write([]byte(test.written))
			if got, _ := s.text(); got != test.want || s.broken != nil {
				t.Errorf("%q is shown as %q, not as %q (%v)", test.written, got, test.want, s.broken)
			}
			whole, _ := s.text()
			if strings.ContainsRune(test.written, '\u0301') {
				return // the emulator joins what comes together
			}
			again := newScreen(20, 5, 1<<10)
			defer again.Close()
			for at := 0; at < len(test.written); at += 3 { // however the bytes come
				_, _ = again.Write([]byte(test.written[at:min(at+3, len(test.written))]))
			}
			if got, _ := again.text(); got != whole {
				t.Errorf("piece by piece it is shown as %q, not as %q", got, whole)
			}
		})
	}
}

func TestTheTranscriptIsBoundedAndSaysSo(t *testing.T) {
	s := newScreen(40, 5, 1000)
	defer s.Close()
	for i := range 5000 {
		_, _ = s.Write([]byte("line " + strconv.Itoa(i) + "\r\n"))
	}
	text, cut := s.text()
	if !cut || len(text) > 1100 || !strings.HasPrefix(text, "line ") || !strings.HasSuffix(text, "line 4998\nline 4999\n") {
		t.Errorf("cut: %v, %d bytes: %.40q…", cut, len(text), text)
	}
	if size := cap(s.past); size > 4000 {
		t.Errorf("%d bytes are held", size)
	}
}

func TestAPasteIsKnownByTheProgramsWord(t *testing.T) {
	s := newScreen(20, 5, 100)
	defer s.Close()
	for _, step := range []struct {
		written string
		want    bool
	}{{"hello", false}, {"\x1b[?2004h", true}, {"\x1b[?25l\x1b[2Jx", true}, {"\x1b[?2004l", false}, {"\x1b[?1;2004h", true}, {"\x1bc", false}} {
		if _, _ = s.Write([]byte(step.written)); s.pastes != step.want {
			t.Errorf("after %q it takes pastes: %v", step.written, s.pastes)
		}
	}
}

// FuzzScreen: whatever a program writes, the emulator neither fails nor hangs, and control characters never are text.
func FuzzScreen(f *testing.F) {
	for _, seed := range []string{"\x1b[?1049h\x1b[5;3r\x1b[1000S", "\x1b[99999999L\x1b[88888M\x1b[77777P\x1b[66666@", "\x1bP+q\x1b\\\x1b]8;;x\x07y", "\x1b[?69h\x1b[3;9s\x1b[2J\x1b(0lqk", "\x1b#8\x1b[3g\t\t\x1bH\x1b[9999I\x1b[9999Z"} {
		f.Add([]byte(seed), 20, 5)
	}
	f.Fuzz(func(t *testing.T, written []byte, columns, rows int) {
		s := newScreen(20, 5, 1000)
		defer s.Close()
		_, _ = s.Write(written)
		s.Resize(columns%200, rows%200)
		_, _ = s.Write(written)
		text, _ := s.text()
		if s.broken != nil {
			t.Errorf("%q: %v", written, s.broken)
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("%q is shown as %q", written, text)
		}
	})
}
