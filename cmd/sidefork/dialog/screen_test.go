package dialog

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// seat is a person in front of a screen, with a sidecar behind it that answers from memory.
type seat struct {
	*testing.T
	*screen
	fields  []commands.FormField
	answers map[string]string // of the last resolve, as JSON
	drafts  []bool
	late    []tea.Cmd // resolves that have not come back yet, while hold
	hold    bool
	left    bool
}

func sit(t *testing.T, width, height int) *seat {
	s := &seat{T: t, fields: []commands.FormField{
		{ID: "session", Description: "Session to fork", Default: "claude:2", Type: commands.FieldType{Kind: "enum", Entries: []commands.FormEntry{
			{Value: "claude:2", Description: "claude · 日本語の会話 \x1b[2J"}, {Value: "claude:1", Description: "claude · The elder"}, {Value: "none", Description: "None"},
		}}},
		{ID: "name", Description: "Name of the new branch", Default: "app-fork", Required: true, Type: commands.FieldType{Kind: "string"}},
		{ID: "carry", Description: "Bring uncommitted changes (1 modified)", Default: true, Type: commands.FieldType{Kind: "bool"}},
		{ID: "base", Description: "Start from", Default: "parentCommit", Type: commands.FieldType{Kind: "lazyEnum", Entries: []commands.FormEntry{{Value: "parentCommit", Description: "The commit of main"}}}},
		{ID: "setup", Description: "long", Default: "skip", Type: commands.FieldType{
			Kind: "enum", Entries: []commands.FormEntry{{Value: "skip", Description: "Do not run it"}, {Value: "run:1", Description: "Run it"}},
			Setup: &commands.SetupInfo{Source: ".sidefork.json", Commands: []string{"npm ci\nmake", "echo \x1b[31m"}},
		}},
		{ID: "include", Description: "Bring ignored files too", Default: []string{}, Type: commands.FieldType{Kind: "list", Advanced: true}},
		{ID: "copies", Description: "How many", Default: 1, Type: commands.FieldType{Kind: "number", Advanced: true}},
	}}
	form := New("client", true, locales.Language{})
	form.Take(slices.Clone(s.fields))
	s.screen = &screen{form: form, ctx: context.Background(), news: make(chan struct{}, 1), ask: Asker{
		Resolve: func(_ context.Context, answers []commands.FormAnswer, draft bool) ([]commands.FormField, *commands.Failure) {
			s.answers, s.drafts = map[string]string{}, append(s.drafts, draft)
			for _, a := range answers {
				s.answers[a.ID] = string(a.Value)
			}
			return s.answer(draft)
		},
		List: func(_ context.Context, _ commands.FormField, query string) ([]commands.FormEntry, *commands.Failure) {
			var found []commands.FormEntry
			for _, name := range []string{"main", "older", "oldest"} {
				if strings.Contains(name, query) {
					found = append(found, commands.FormEntry{Value: "ref:" + name, Description: name})
				}
			}
			return found, nil
		},
		Plan: func(context.Context, []commands.FormAnswer, int) (string, *commands.Failure) {
			return "Plan\n" + strings.Repeat("modified a\n", 50) + "the end\n", nil
		},
	}}
	s.focus("name")
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
	return s
}

// answer is the sidecar: a name with a blank is none.
func (s *seat) answer(draft bool) ([]commands.FormField, *commands.Failure) {
	fields := slices.Clone(s.fields)
	var name string
	_ = json.Unmarshal([]byte(s.answers["name"]), &name)
	wrong := strings.Contains(name, " ")
	if wrong {
		fields[1].Error = "“" + name + "” cannot be a branch."
	}
	if !draft && !wrong {
		return nil, nil
	}
	return fields, nil
}

// send gives the screen a message, and what comes of it.
func (s *seat) send(m tea.Msg) {
	_, next := s.Update(m)
	s.follow(next)
}

func (s *seat) follow(next tea.Cmd) {
	if next == nil {
		return
	}
	if s.hold {
		s.late = append(s.late, next)
		return
	}
	switch m := next().(type) {
	case nil:
	case tea.QuitMsg:
		s.left = true
	case tea.BatchMsg:
		for _, c := range m {
			s.follow(c)
		}
	default:
		s.send(m)
	}
}

// presses sends keys: a name such as "down", or a text.
func (s *seat) presses(keys ...string) {
	s.Helper()
	named := map[string]tea.Key{
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape},
		"space": {Code: tea.KeySpace, Text: " "}, "backspace": {Code: tea.KeyBackspace}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
		"pgdown": {Code: tea.KeyPgDown}, "ctrl+s": {Code: 's', Mod: tea.ModCtrl}, "ctrl+p": {Code: 'p', Mod: tea.ModCtrl},
		"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl},
	}
	for _, k := range keys {
		if key, known := named[k]; known {
			s.send(tea.KeyPressMsg(key))
			continue
		}
		for _, r := range k {
			s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// sees wants lines of the screen that hold these words.
func (s *seat) sees(words ...string) {
	s.Helper()
	text := s.shown()
	for _, w := range words {
		if !strings.Contains(text, w) {
			s.Errorf("it lacks %q:\n%s", w, text)
		}
	}
}

func (s *seat) shown() string {
	content := s.View().Content
	for line := range strings.SplitSeq(content, "\n") {
		if ansi.StringWidth(line) > s.width {
			s.Errorf("wider than %d columns: %q", s.width, line)
		}
	}
	if lines := strings.Count(content, "\n") + 1; lines > s.height {
		s.Errorf("%d lines on a screen of %d", lines, s.height)
	}
	return ansi.Strip(content)
}

// clicks presses the mouse on the first line that holds the words.
func (s *seat) clicks(words string) {
	s.Helper()
	y := slices.IndexFunc(strings.Split(s.shown(), "\n"), func(line string) bool { return strings.Contains(line, words) })
	s.send(tea.MouseClickMsg{X: 6, Y: y, Button: tea.MouseLeft})
}

func (s *seat) wants(id, answer string) {
	s.Helper()
	if got := s.answers[id]; got != answer {
		s.Errorf("%s was answered %s, not %s", id, got, answer)
	}
}

func TestAFormIsFilledInByKeys(t *testing.T) {
	s := sit(t, 80, 40)
	s.sees("Session to fork: claude · 日本語の会話 [2J\n", "> Name of the new branch: app-fork", "[x] Bring uncommitted changes (1 modified)",
		"Run the setup of .sidefork.json: Do not run it", "$ npm ci\n", "$ make\n", "$ echo [31m\n", "Start the agent: In this terminal")
	s.presses("ctrl+u", "two words", "down")
	s.sees("! “two words” cannot be a branch.", "> [x] Bring")
	s.presses("space", "down", "down", "right", "down", "right")
	s.sees("[ ] Bring", "> Start the agent: In tmux")
	s.presses("ctrl+s")
	s.sees("> Name of the new branch: two words")
	if s.left || s.forks {
		t.Fatal("it forks with a wrong name")
	}
	s.presses("backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "ctrl+s")
	s.wants("name", `"two"`)
	s.wants("carry", "false")
	s.wants("setup", `"run:1"`)
	if !s.left || !s.forks || s.form.Launch() != "tmux" {
		t.Errorf("left %t, forks %t, launch %s", s.left, s.forks, s.form.Launch())
	}
	if _, answered := s.answers["launch"]; answered {
		t.Error("the start of the agent is an argument, not an answer")
	}
}

func TestAFormIsFilledInByTheMouse(t *testing.T) {
	s := sit(t, 60, 40)
	s.clicks("[x] Bring")
	s.wants("carry", "false")
	s.clicks("Session to fork")
	s.clicks("The elder")
	s.wants("session", `"claude:1"`)
	s.clicks("[ More ]")
	s.clicks("Bring ignored files too")
	s.presses("*.env", "enter", "node_modules", "enter", "x", "backspace", "backspace")
	s.wants("include", `["*.env"]`)
	s.clicks("How many")
	s.presses("backspace", "x3")
	s.clicks("Start from")
	s.sees("A part of its name:", "older", "main")
	s.presses("olde")
	s.clicks("oldest")
	s.wants("base", `"ref:oldest"`)
	s.wants("copies", "3")
	s.clicks("[ Show the plan ]")
	s.sees("Plan\n")
	for range 20 {
		s.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	}
	s.sees("the end")
	s.presses("esc")
	s.clicks("[ Fork ]")
	if !s.left || !s.forks {
		t.Error("it does not fork")
	}
}

func TestAFormFitsANarrowTerminalAndShowsWhatHasTheKeyboard(t *testing.T) {
	s := sit(t, 40, 9)
	for _, want := range []string{"Name", "Bring", "Start from", "Run the setup", "Start the agent", "More", "Fork", "plan", "Leave"} {
		marked := slices.ContainsFunc(strings.Split(s.shown(), "\n"), func(line string) bool { return strings.HasPrefix(line, "> ") && strings.Contains(line, want) })
		if !marked {
			t.Errorf("the keyboard is not at %s:\n%s", want, s.shown())
		}
		s.presses("down")
	}
	for _, size := range [][2]int{{1, 1}, {3, 2}, {20, 5}, {200, 60}} {
		s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		_ = s.shown()
	}
	s.send(tea.WindowSizeMsg{Width: 40, Height: 9})
	for range 50 {
		s.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	}
	s.sees("Session to fork")
}

func TestWhatComesLateTakesNothingBackThatWasTyped(t *testing.T) {
	s := sit(t, 80, 40)
	s.hold = true
	s.send(heard{})
	s.presses("-x")
	s.fields[2].Description = "Bring uncommitted changes (7 modified)"
	s.fields[0].Type.Pending = true
	s.hold = false
	late := s.late
	s.late = nil
	for _, next := range late {
		if m, batch := next().(tea.BatchMsg); batch {
			s.send(m[1]()) // the first listens on
		}
	}
	s.sees("> Name of the new branch: app-fork-x", "(7 modified)", "(still reading)")
	s.presses("ctrl+s")
	if s.left {
		t.Error("it forks before the session is known")
	}
	s.sees("still being read")
	s.fields[0].Type.Pending = false
	s.send(resolved{fields: s.fields, draft: true})
	s.sees("known now: Ctrl+S forks")
	s.presses("ctrl+s")
	s.wants("name", `"app-fork-x"`)
	if !s.forks {
		t.Error("it does not fork")
	}
}

func TestAFormThatIsOverSaysWhyAndOneThatIsLeftForksNothing(t *testing.T) {
	for _, key := range []string{"ctrl+c", "esc"} {
		s := sit(t, 80, 24)
		s.presses("x", key)
		if !s.left || s.forks || slices.Contains(s.drafts, false) {
			t.Errorf("after %s: left %t, forks %t, asked %v", key, s.left, s.forks, s.drafts)
		}
	}
	s := sit(t, 80, 24)
	s.send(resolved{draft: true, failed: commands.Refuse("detached")})
	if !s.left || s.forks || s.failed == nil {
		t.Error("it goes on without a workspace")
	}
}

func TestWhatCannotBeAnsweredSaysWhyAndTakesNoKey(t *testing.T) {
	s := sit(t, 80, 40)
	for i := range s.fields[:4] {
		s.fields[i].Type.DisabledReason = "The base has its own commit \x1b[2J."
	}
	s.send(resolved{fields: s.fields, draft: true})
	s.sees("The base has its own commit [2J.")
	for _, field := range []string{"session", "name", "carry", "base"} {
		s.focus(field)
		s.drafts = nil
		s.presses("x", "space", "right", "left")
		s.clicks("Bring")
		if s.open != nil || len(s.drafts) > 0 {
			t.Errorf("%s can be changed: %v", field, s.open)
		}
	}
}

func TestTheSessionlessForkStartsNoAgent(t *testing.T) {
	s := sit(t, 80, 40)
	s.presses("up", "right", "right")
	s.wants("session", `"none"`)
	if strings.Contains(s.shown(), "Start the agent") {
		t.Error("it asks how an agent starts")
	}
}

func TestColoursFollowTheTerminal(t *testing.T) {
	for environment, coloured := range map[string]bool{"NO_COLOR=1": false, "A=b": true} {
		s := sit(t, 80, 24)
		s.fields[1].Error = "No."
		s.form.Take(s.fields)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		out := &onceSeen{words: "Esc", then: cancel}
		in, _ := io.Pipe()
		forks, failed, err := Run(ctx, s.form, s.ask, nil, Terminal{In: in, Out: out, Environment: []string{"TERM=xterm-256color", "TTY_FORCE=1", environment}, Columns: 80, Rows: 24})
		if forks || failed != nil || err != nil {
			t.Errorf("it ends with %t, %v, %v", forks, failed, err)
		}
		if got := strings.Contains(out.String(), "\x1b[31m"); got != coloured {
			t.Errorf("with %s there is red: %t, in %q", environment, got, out.String())
		}
	}
}

// onceSeen is a terminal that does something once these words were written to it.
type onceSeen struct {
	strings.Builder
	words string
	then  func()
}

func (o *onceSeen) Write(p []byte) (int, error) {
	n, err := o.Builder.Write(p)
	if strings.Contains(o.String(), o.words) {
		o.then()
	}
	return n, err
}

func TestNewsWhileTheForkIsAskedForDoesNotLoseIt(t *testing.T) {
	deliver := func(s *seat) {
		late := s.late
		s.late, s.hold = nil, false
		for _, next := range late {
			if m, is := next().(resolved); is {
				s.send(m)
			}
		}
	}
	s := sit(t, 80, 40)
	s.news = nil
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nobody listens on
	s.ctx = ctx
	s.hold = true
	s.presses("ctrl+s")
	s.send(heard{})
	deliver(s)
	if !s.forks || !slices.Equal(s.drafts, []bool{false, false}) {
		t.Errorf("forks %t, asked %v", s.forks, s.drafts)
	}

	s = sit(t, 80, 40) // what is typed after it does: it is not forked with half of a name
	s.hold = true
	s.presses("ctrl+s", "-x")
	deliver(s)
	if s.forks || s.left {
		t.Error("it forks with an answer that was not the one asked about")
	}
	s.sees("changed meanwhile", "app-fork-x")
	s.presses("ctrl+s")
	s.wants("name", `"app-fork-x"`)
	if !s.forks {
		t.Error("it does not fork")
	}
}
