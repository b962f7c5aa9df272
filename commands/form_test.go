package commands

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidefork/sidefork/sessions/agent"
)

// TestADialogPrefersTheSessionOfItsTerminalOrNone: which session stands first, and why never another pane's.
func TestADialogPrefersTheSessionOfItsTerminalOrNone(t *testing.T) {
	can, cannot := SessionFork{Kind: "native"}, SessionFork{Kind: "none", Reason: &Reason{Code: "sessionEmpty", Message: "Nothing there."}}
	newest, elder := Session{Agent: "claude", ID: "new", Fork: can}, Session{Agent: "codex", ID: "old", Fork: can}
	empty := Session{Agent: "pi", ID: "empty", Fork: cannot}
	for name, test := range map[string]struct {
		facts    formFacts
		argument formArgument
		want     string // the entries in their order
		chosen   string
	}{
		"the newest that can be forked":   {formFacts{sessions: []Session{empty, newest, elder}}, formArgument{}, "claude:new codex:old none", "claude:new"},
		"that of the terminal":            {formFacts{sessions: []Session{newest, elder}, opener: &agent.ID{Agent: "codex", ID: "old"}}, formArgument{PID: 7}, "codex:old claude:new none", "codex:old"},
		"a terminal without one":          {formFacts{sessions: []Session{newest, elder}}, formArgument{PID: 7}, "none claude:new codex:old", "none"},
		"a terminal whose has no fork":    {formFacts{sessions: []Session{empty, newest}, opener: &agent.ID{Agent: "pi", ID: "empty"}}, formArgument{PID: 7}, "none claude:new", "none"},
		"that of another workspace":       {formFacts{sessions: []Session{newest}, opener: &agent.ID{Agent: "claude", ID: "elsewhere"}}, formArgument{PID: 7}, "none claude:new", "none"},
		"the one that is named":           {formFacts{sessions: []Session{newest, elder}}, formArgument{ForkParams: ForkParams{Session: &agent.ID{Agent: "codex", ID: "old"}}}, "codex:old claude:new none", "codex:old"},
		"the named before the terminal's": {formFacts{sessions: []Session{newest, elder}, opener: &agent.ID{Agent: "claude", ID: "new"}}, formArgument{PID: 7, ForkParams: ForkParams{Session: &agent.ID{Agent: "codex", ID: "old"}}}, "codex:old claude:new none", "codex:old"},
		"none that can be forked":         {formFacts{sessions: []Session{empty}}, formArgument{}, "none", "none"},
		"what a terminal showed":          {formFacts{sessions: []Session{newest, elder}}, formArgument{PID: 7, ForkParams: ForkParams{Transcript: &Transcript{Agent: "wren"}}}, "none", "none"},
		"an id that is not what it seems": {formFacts{sessions: []Session{{Agent: "claude", ID: "a\x1b[2J", Fork: can}}}, formArgument{}, "none", "none"},
	} {
		test.facts.listed, test.facts.settled = true, true
		f := (&form{look: newFormLook(), facts: test.facts, argument: test.argument}).session()
		var values []string
		for _, e := range f.Type.Entries {
			values = append(values, e.Value)
		}
		if got := strings.Join(values, " "); got != test.want || f.Default != test.chosen {
			t.Errorf("%s: %s, default %v", name, got, f.Default)
		}
	}
	f := (&form{look: newFormLook(), facts: formFacts{listed: true, settled: true, sessions: []Session{empty}}}).session()
	if !strings.Contains(f.Description, "Nothing there.") {
		t.Errorf("why there is none: %q", f.Description)
	}
}

// A session that was preselected stays so, or becomes none: a newer one is not put in its place while the dialog is open.
func TestANewerSessionIsNotPutInThePlaceOfTheOneThatIsShown(t *testing.T) {
	session := func(id string) Session {
		return Session{Agent: "claude", ID: id, Fork: SessionFork{Kind: "native"}}
	}
	look := newFormLook()
	for _, step := range []struct {
		sessions string
		want     string
	}{{"a", "claude:a"}, {"b a", "claude:a"}, {"b", "none"}, {"c b a", "none"}} {
		facts := formFacts{listed: true, settled: true}
		for id := range strings.FieldsSeq(step.sessions) {
			facts.sessions = append(facts.sessions, session(id))
		}
		if f := (&form{look: look, facts: facts}).session(); f.Default != step.want {
			t.Errorf("with %s: %v", step.sessions, f.Default)
		}
	}
}

func TestASessionIsOneLineOfWhatOneKnowsItBy(t *testing.T) {
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	for want, s := range map[string]Session{
		"claude · Title · 2026-05-01 10:00:00 UTC · sends 4321 tokens again · live": {
			Agent: "claude", ID: "x", Title: "Title", FirstPrompt: "no", LastActivity: &at, Forecast: &agent.Forecast{Tokens: 4321}, State: agent.Live,
		},
		"pi · what one said first":              {Agent: "pi", ID: "x", FirstPrompt: "what one\nsaid\x1b first"},
		"codex · x":                             {Agent: "codex", ID: "x"},
		"pi · " + strings.Repeat("ä", 79) + "…": {Agent: "pi", Title: strings.Repeat("ä", 99)},
	} {
		if got := (&form{}).aboutSession(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAnswersAreExactlyOneFork(t *testing.T) {
	yes, no := true, false
	for answers, want := range map[string]ForkParams{
		`"session":"none","name":"try"`: {Name: "try"},
		`"session":"codex:abc:d","name":"feature/x","child":false,"carry":true,"base":"parentCommit","setup":"skip","staged":"unstage","include":["*.env"," x"],"prompt":"go","copies":3,"where":"new"`: {
			Name: "feature/x", Session: &agent.ID{Agent: "codex", ID: "abc:d"}, Child: &no, Carry: &yes, Base: &Base{Kind: "parentCommit"},
			Setup: &SetupChoice{Decision: "skip"}, Staged: "unstage", Include: []string{"*.env", " x"}, Prompt: "go", Copies: 3, Worktree: &Where{Kind: "new"},
		},
		`"session":"none","name":"try","base":"repositoryDefault","setup":"run:abc","carry":false`: {
			Name: "try", Base: &Base{Kind: "repositoryDefault"}, Setup: &SetupChoice{Decision: "run", Hash: "abc"}, Carry: &no,
		},
		`"session":"pi:x","name":null,"where":"same"`: {Session: &agent.ID{Agent: "pi", ID: "x"}, Worktree: &Where{Kind: "same"}},
		`"session":"none","where":"existing:/x:y"`:    {Worktree: &Where{Kind: "existing", Existing: "/x:y"}},
		`"session":"none","name":"try","base":"ref:origin/x:y","child":null,"include":"a\r\n\r\nb\n"`: {
			Name: "try", Base: &Base{Kind: "ref", Ref: "origin/x:y"}, Include: []string{"a", "b"},
		},
	} {
		const argument = `{"workspace":"/w","operationId":"o","dir":"/d","launch":"none","pid":7,"session":{"agent":"claude","id":"preselected"}}`
		raw, failed := Answered("sidefork.fork", json.RawMessage(argument), answersOf(t, answers))
		if failed != nil {
			t.Errorf("%s: %v", answers, failed)
			continue
		}
		var got ForkParams
		if err := decode(raw, &got); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		want.Workspace, want.OperationID, want.Dir, want.Launch = "/w", "o", "/d", "none"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", answers, diff)
		}
	}
	for _, answers := range []string{
		`"session":"none"`, `"name":"x"`, `"session":"none","name":""`, `"session":null,"name":"x"`, `"session":"claude","name":"x"`, `"session":"claude:","name":"x"`,
		`"session":":x","name":"x"`, `"session":7,"name":"x"`, `"session":"none","name":"x","base":"ref:"`, `"session":"none","name":"x","base":"HEAD"`,
		`"session":"none","name":"x","setup":"run"`, `"session":"none","name":"x","setup":"run:"`, `"session":"none","name":"x","carry":"yes"`, `"session":"none","name":"x","include":[1]`,
		`"session":"none","name":"x","dir":"/x"`, `"session":"none","name":"x","operationId":"x"`,
	} {
		if raw, failed := Answered("sidefork.fork", json.RawMessage(`{"workspace":"/w"}`), answersOf(t, answers)); failed == nil || failed.Reason.Code != "invalidArgument" {
			t.Errorf("%s is %s, %v", answers, raw, failed)
		}
	}
}

// answersOf reads `"id":value,…` as answers.
func answersOf(t *testing.T, text string) (list []FormAnswer) {
	t.Helper()
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte("{"+text+"}"), &values); err != nil {
		t.Fatal(err)
	}
	for id, value := range values {
		list = append(list, FormAnswer{id, value})
	}
	return list
}

func TestNewsAreToldOnceAndOnlyToWhoeverHasAnOlderForm(t *testing.T) {
	l := newFormLook()
	l.reading = 1
	told := 0
	notify := func() { told++ }
	learn := func(name string) { l.learn(func(f *formFacts) { f.free = name }) }
	l.tell(0, notify)
	learn("a")
	learn("b")
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	_, version := l.known()
	l.tell(version-1, notify) // something came while that form was on its way
	if told != 2 {
		t.Errorf("told %d times", told)
	}
	l.tell(version, notify)
	learn("b") // no news
	l.end(true)
	learn("c") // nobody waits any more
	if told != 2 {
		t.Errorf("told %d times", told)
	}
	l.tell(version+1, notify)
	if told != 2 {
		t.Errorf("told %d times", told)
	}
}

func TestAWaitEndsWithTheReadingOrItsTime(t *testing.T) {
	l := newFormLook()
	l.wait(t.Context(), time.Hour) // nothing is read
	l.reading = 1
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.wait(ctx, time.Hour)
	go l.end(true)
	l.wait(t.Context(), time.Hour)
}
