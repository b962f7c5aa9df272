package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/commands"
)

func TestAPersonIsAskedAboutASetupBeforeAnythingExists(t *testing.T) {
	once := map[string]any{"decision": "run", "hash": "h1"}
	for _, test := range []struct {
		setup *commands.SetupInfo
		args  string
		typed string
		want  any
		asked string
	}{
		{&commands.SetupInfo{Hash: "h1", Policy: "run"}, "", "y\n", once, "plan fork"},
		{&commands.SetupInfo{Hash: "h1", Policy: "run"}, "", "what\nn\n", map[string]any{"decision": "skip"}, "plan fork"},
		{&commands.SetupInfo{Hash: "h1", Policy: "run"}, "", "\n", map[string]any{"decision": "skip"}, "plan fork"},
		{&commands.SetupInfo{Hash: "h1", Policy: "run"}, "", "t\n", once, "plan trust fork"},
		{&commands.SetupInfo{Hash: "h1", Policy: "run"}, " --setup run", "y\n", once, "plan fork"},
		{&commands.SetupInfo{Hash: "h1", Policy: "ask", Trusted: true}, "", "y\n", once, "plan fork"},
		{&commands.SetupInfo{Hash: "h1", Policy: "run", Trusted: true}, "", "", nil, "plan fork"},
		{&commands.SetupInfo{Hash: "h1", Policy: "skip"}, "", "", nil, "plan fork"},
		{&commands.SetupInfo{Hash: "h1", Policy: "run"}, " --setup skip", "", map[string]any{"decision": "skip"}, "fork"},
		{nil, "", "", nil, "plan fork"},
	} {
		c := newConsole(t, map[string]any{
			"sidefork.plan": commands.Plan{Setup: test.setup}, "sidefork.trust": commands.TrustResult{}, "sidefork.fork": forked(),
		})
		if test.setup != nil {
			test.setup.Commands = []string{"make \x1b[2Kready"}
		}
		c.line.in, c.line.inTerminal, c.line.errTerminal = strings.NewReader(test.typed), true, true
		if status := c.line.main(strings.Fields("fork --name try --no-session --launch none" + test.args)); status != 0 {
			t.Errorf("%+v: exit status %d", test, status)
		}
		same(t, test.typed, test.want, c.last["setup"])
		var asked []string
		for _, name := range c.asked {
			asked = append(asked, strings.TrimPrefix(name, "sidefork."))
		}
		same(t, "asked", strings.Fields(test.asked), asked)
		if strings.Contains(c.err.String(), "\x1b[2Kready") || test.typed != "" && !strings.Contains(c.err.String(), "ready") {
			t.Errorf("the command is not shown as it may be: %q", c.err.String())
		}
	}
}

func TestTheQuestionShowsWhatHasChangedSinceTheSetupWasApproved(t *testing.T) {
	changed := &commands.SetupInfo{Hash: "h1", Policy: "run", Difference: "--- a/x\n+++ b/x\n+\x1b[2Kevil"}
	c := newConsole(t, map[string]any{"sidefork.plan": commands.Plan{Setup: changed}, "sidefork.fork": forked()})
	c.line.in, c.line.inTerminal, c.line.errTerminal = strings.NewReader("n\n"), true, true
	if status := c.line.main(strings.Fields("fork --name try --no-session --launch none")); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if said := c.err.String(); !strings.Contains(said, "It has changed since you approved it:\n  | --- a/x\n  | +++ b/x\n  | +[2Kevil\n") {
		t.Errorf("%q", said)
	}
}

func TestASetupWithoutAnAnswerIsNoFork(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.plan": commands.Plan{Setup: &commands.SetupInfo{Policy: "run"}}})
	c.line.inTerminal, c.line.errTerminal = true, true
	if status := c.line.main(strings.Fields("fork --name try --no-session")); status != exitCancelled || slices.Contains(c.asked, "sidefork.fork") {
		t.Errorf("exit status %d", status)
	}
}
