package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/commands"
)

const oid = "0123456789abcdef0123456789abcdef01234567"

func planned() *commands.Plan {
	it := session(newest, "cache", 1, "native")
	return &commands.Plan{
		Numbers: &carry.Numbers{Tracked: 1, Deleted: 1, Untracked: 1, Bytes: 12},
		Files: []carry.File{
			{Path: "a\tb", Change: "modified", Bytes: 10}, {Path: "gone", Change: "deleted"}, {Path: "new", Change: "untracked", Bytes: 2},
		},
		Left:      []carry.Left{{Path: "out/", Reason: "ignored"}, {Path: "pipe", Reason: "specialFile"}},
		Refusals:  []commands.Reason{},
		Workspace: "/r", Name: "r-fork", Dir: "/r-worktrees/r-fork", Base: oid, Session: &it, Launch: forked().Launch,
		Commands: [][]string{
			{"git", "--no-optional-locks", "-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "--", "it's"}, forked().Launch.Argv,
		},
		Warnings: []commands.Warning{{Code: "insideParent", Message: "It lies inside.", Remedy: "Ignore it."}},
	}
}

func TestPlanTakesTheSuggestedNameAndIsForReading(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.inspect": commands.Inspection{SuggestedName: "r-fork"}, "sidefork.plan": planned()})
	if status := c.line.main([]string{"plan", "--no-session", "/r"}); status != 0 {
		t.Fatalf("exit status %d: %s", status, c.err.String())
	}
	same(t, "name", any("r-fork"), c.last["name"])
	same(t, "stdout", `Plan for a fork of /r (nothing is written)
  branch     r-fork
  folder     /r-worktrees/r-fork
  base       01234567
  session    claude 9c322651  cache  (1 h)
  changes    2 modified (1 of them deleted), 1 new; 12 B

Files:
  modified  a b   10 B
  deleted   gone
  new       new   2 B
  stays     out/  ignored
  stays     pipe  a pipe, socket or device

Commands:
  git worktree add -q -- 'it'\''s'

Its agent:
  cd /home/u/app-worktrees/try && env CLAUDE_CONFIG_DIR=/home/u/.claude-work claude --resume `+newest+"\n", c.out.String())
	same(t, "stderr", "warning: It lies inside. [insideParent]\n  Ignore it.\n", c.err.String())
}

// TestAPlanWithRefusalsIsDone: the plan was made, so the status is 0; a fork of it would give 3.
func TestAPlanWithRefusalsIsDone(t *testing.T) {
	refused := planned()
	refused.Launch, refused.Session, refused.Dir, refused.Name, refused.Commands = nil, nil, "", "", nil
	refused.Refusals = []commands.Reason{{Code: "nameTaken", Message: "The branch main exists already.", Remedy: "Choose main-2."}}
	c := newConsole(t, map[string]any{"sidefork.plan": refused})
	if status := c.line.main([]string{"plan", "--no-session", "--name", "main"}); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if want := "\nwould be refused: The branch main exists already. [nameTaken]\n  Choose main-2.\n"; !strings.Contains(c.out.String(), want) {
		t.Errorf("stdout lacks %q:\n%s", want, c.out.String())
	}
	if strings.Contains(c.out.String(), "Its agent") || !strings.Contains(c.out.String(), "  branch     main\n") {
		t.Errorf("stdout:\n%s", c.out.String())
	}
	c.out.Reset()
	if status := c.line.main([]string{"plan", "--help"}); status != 0 || !strings.Contains(c.out.String(), "exit status is 0 also where") {
		t.Errorf("the help does not say so (%d):\n%s", status, c.out.String())
	}
}

func TestAWorkspaceThatIsRefusedIsAPlanToo(t *testing.T) {
	for _, args := range []string{"plan /nowhere --json", "plan /nowhere --json --name x"} {
		missing := commands.Refuse("missing", "path", "/nowhere")
		c := newConsole(t, map[string]any{"sidefork.inspect": missing, "sidefork.sessions": missing})
		if status := c.line.main(strings.Fields(args)); status != 0 {
			t.Errorf("%s: exit status %d: %s", args, status, c.err.String())
		}
		var p commands.Plan
		if err := json.Unmarshal(c.out.Bytes(), &p); err != nil || len(p.Refusals) != 1 || p.Refusals[0].Code != "missing" {
			t.Errorf("%s: %v: %s", args, err, c.out.String())
		}
	}
}
