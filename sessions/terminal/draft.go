package terminal

import (
	"regexp"
	"strings"
	"unicode"
)

// The control sequences that a terminal puts around a paste (xterm, "Bracketed Paste Mode").
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// CutMark is the line of a draft that says that something before it was left out.
const CutMark = "[… earlier lines were left out]"

// Draft is a transcript as a text for an agent's prompt: a line that says what it is, and the last lines of the transcript,
// about most bytes of them, with a mark where something was cut off. Nothing in it can end a paste or act on a terminal.
func Draft(name, transcript string, most int) string {
	text := clean(transcript)
	intro := "This is what the terminal of an earlier session with " + clean(name) + " showed, for context:\n\n"
	if kept := string(lastLines([]byte(text), most)); len(kept) < len(text) {
		text = CutMark + "\n" + strings.TrimPrefix(kept, CutMark+"\n")
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return intro + text + "\n"
}

// sequences are whole control sequences: CSI, and OSC and its kin where they have an end (ECMA-48, 5.4 and 5.6).
var sequences = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\x1b[\\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\x07\x1b\u009c]*(?:\x07|\x1b\\\\|\u009c)")

// clean takes out of a text whatever could act on a terminal: whole control sequences, then every control character that is
// left, of C1 too, those that reorder text, and what is no UTF-8. Line breaks stay, tabs become blanks.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\r', r == '\u0085', r == '\u2028', r == '\u2029':
			return '\n'
		case r == '\t':
			return ' '
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r) && r != '\u200d':
			return -1
		}
		return r
	}, sequences.ReplaceAllString(text, ""))
	return strings.Trim(text, "\n")
}

// paste is a draft as a terminal sends one paste.
func paste(draft string) []byte { return []byte(pasteBegins + clean(draft) + pasteEnds) }
