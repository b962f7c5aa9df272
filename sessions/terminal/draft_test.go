package terminal

import (
	"strings"
	"testing"
)

func TestADraftCannotEndItsPaste(t *testing.T) {
	for _, hostile := range []string{
		"\x1b[201~\rrm -rf x\r", "\x1b\x1b[201~[201~\r", "\x1b[20\x1b[201~1~\r", "\u009b201~\r", "\xc2\x9b201~", "\x9b201~\r", "\x1b[2\x001~",
		"a\x03b\x04c\x1ad\x7f", "\x1b]52;c;aGk=\x07x", "\x1bPq\x1b\\x", "\x1b]0;never ends", "x\u202eevil\u2066", "a\rb\r\nc\u2028d",
	} {
		sent := string(paste(hostile))
		inside := strings.TrimSuffix(strings.TrimPrefix(sent, pasteBegins), pasteEnds)
		if len(inside) != len(sent)-len(pasteBegins)-len(pasteEnds) {
			t.Fatalf("%q is no paste", sent)
		}
		if strings.ContainsFunc(inside, func(r rune) bool {
			return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u2066'
		}) {
			t.Errorf("%q is pasted as %q", hostile, inside)
		}
	}
	if got := clean("\x1b[31mred\x1b[0m\tand\u00a0\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b]open"); got != "red and\u00a0link ]open" {
		t.Errorf("what is text is lost: %q", got)
	}
}

func TestADraftIsCappedAndMarksTheCut(t *testing.T) {
	text := strings.Repeat("an earlier line\n", 100) + "the last line\n"
	got := Draft("aider", text, 200)
	if !strings.Contains(got, CutMark+"\nan earlier line\n") || !strings.HasSuffix(got, "the last line\n") || len(got) > 400 {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	if got := Draft("aider", "short\n", 200); strings.Contains(got, CutMark) || !strings.Contains(got, "aider") || !strings.HasSuffix(got, "\n\nshort\n") {
		t.Errorf("%q", got)
	}
	if got := Draft("aider", " \n\x1b[2J\n", 200); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
