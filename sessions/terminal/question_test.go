package terminal

import "testing"

func TestWhatAnAgentAsksIsReadOffItsScreen(t *testing.T) {
	for _, test := range []struct{ shown, kind, line string }{
		{"No conversation found with session ID: 3309aa6e", "conversation", "No conversation found with session ID: 3309aa6e"},
		{"│ Do you trust the files in this folder?   │\n│ ❯ 1. Yes, proceed │", "trust", "Do you trust the files in this folder?"},
		{"  Do you trust the contents of this\n  directory? Working with", "trust", "Do you trust the contents of this directory? Working with"},
		{"  /home/x/child\n\n  Quick check: is this a project you created or one you trust? (If not,\n", "trust", "Quick check: is this a project you created or one you trust? (If not,"},
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

func TestWhatAnAgentSaysAtItsEndIsAWholeSentence(t *testing.T) {
	const columns = 40
	for shown, want := range map[string]string{
		"› Ask anything\n\n  ? for shortcuts\nERROR: No saved session found with ID 7.\n":                  "ERROR: No saved session found with ID 7.",
		"Error: Failed to fork: invalid history l\nineage for 7: missing source rollout (co\nde -32600)\n": "Error: Failed to fork: invalid history lineage for 7: missing source rollout (code -32600)",
		"error: it does not go\nstack of a thing\n":                                                        "error: it does not go",
		"it does not\ngo\n\n": "go",
		"":                    "",
	} {
		if got := LastWords(shown, columns); got != want {
			t.Errorf("%q ends with %q, want %q", shown, got, want)
		}
	}
}

func TestOnlyWhatIsSaidBehindAPromptIsItsAnswer(t *testing.T) {
	const prompt = "Is anybody there?\nAnd who?"
	for shown, want := range map[string]string{
		"> hello\n⎿ Not logged in · Please run /login\n> Is  anybody there?\n  And who?\n● I am\n":         "",
		"> hello\n● I am\n> Is anybody there?\n  And who?\n  ⎿ Not logged in · Please run /login\n":        "⎿ Not logged in · Please run /login",
		"> Is anybody there?\n■ Missing environment variable: `KEY`.\n> Is anybody there?\n":               "",
		"> Is anybody there?\n■ Missing environment variable: `KEY`.\n› Ask\n model · Is anybody there?\n": "■ Missing environment variable: `KEY`.",
		"> Is anybody there?\n● It says that one is not logged in\n":                                       "",
		"⎿ Not logged in\n": "",
	} {
		if got := WordsOfAnswer(shown, prompt); got.Line != want || (got.Kind == "login") != (want != "") {
			t.Errorf("%q is read as %+v", shown, got)
		}
	}
	if got := WordsOfAnswer("Not logged in", ""); got.Kind != "" {
		t.Errorf("without a prompt: %+v", got)
	}
}
