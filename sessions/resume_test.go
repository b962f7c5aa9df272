package sessions

import (
	"slices"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

// What a resume is told to write into is what the guard reads of it: the two must not drift apart.
func TestAResumeIsReadByTheGuardAsOneOfThatSession(t *testing.T) {
	const id = "3309aa6e-79d4-40b8-818f-70e5ac72c124"
	ids := map[string]string{"opencode": "ses_0123456789abABCDEFGHIJKLMN"}
	for _, a := range Agents() {
		s := Session{ID: ID{Agent: a.Name, ID: id}, Home: "/home/u/.other", Source: "/home/u/.other/sessions/w/2026-05-01T10-00-00_" + id + ".jsonl", Cwd: "/w"}
		if own := ids[a.Name]; own != "" {
			s.ID.ID = own
		}
		arguments, env := a.Resume(s)
		targets, clear := a.Resumes(agent.Words(arguments...))
		if !clear || len(targets) != 1 || targets[0] != s.ID.ID && targets[0] != "" {
			t.Errorf("%s: %q is read as %q (clear %v)", a.Name, arguments, targets, clear)
		}
		if a.Name != "pi" && !slices.Contains(targets, s.ID.ID) {
			t.Errorf("%s: the guard does not see %s in %q", a.Name, s.ID.ID, arguments)
		}
		if env[a.Variable] == nil && a.Name != "opencode" {
			t.Errorf("%s: the account %s is not kept: %v", a.Name, a.Variable, env)
		}
	}
}
