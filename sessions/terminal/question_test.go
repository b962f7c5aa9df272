package terminal

import "testing"

func TestWhatAnAgentAsksIsReadOffItsScreen(t *testing.T) {
	for _, test := range []struct{ shown, kind, line string }{
		{"No conversation found with session ID: 3309aa6e", "conversation", "No conversation found with session ID: 3309aa6e"},
		{"│ Do you trust the files in this folder?   │\n│ ❯ 1. Yes, proceed │", "trust", "Do you trust the files in this folder?"},
		{"  Do you trust the contents of this\n  directory? Working with", "trust", "Do you trust the contents of this"},
		{"Quick safety check: Is this a project you created or one you trust?", "trust", "Quick safety check: Is this a project you created or one you trust?"},
		{"Not logged in · Please run /login", "login", "Not logged in · Please run /login"},
		{"overwrite it? [y/N] ", "question", "overwrite it? [y/N]"},
		{"❯ tell me about trust and logging\n? for shortcuts", "", ""},
		{"", "", ""},
	} {
		if got := ReadWords(test.shown); got.Kind != test.kind || got.Line != test.line {
			t.Errorf("%q is read as %+v", test.shown, got)
		}
	}
}
