package cli

import (
	"testing"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sessions/agent"
)

func TestWorkspacesAreDrawnAsATree(t *testing.T) {
	parent := "/r"
	oid := "0123456789abcdef0123456789abcdef01234567"
	at := func(branch string, depth int) commands.Workspace {
		return commands.Workspace{Path: "/w/" + branch, Name: branch, Branch: branch, Head: oid, Depth: depth, Parent: &parent, Fork: commands.Forkable{Allowed: true}}
	}
	main := at("main", 0)
	main.Main, main.Path, main.AgentsLive = true, "/r", 2
	detached := at("", 2)
	detached.Name, detached.Path, detached.Detached, detached.AgentsLive = "loose", "/w/loose", true, 1
	detached.Fork = commands.Forkable{Reason: &commands.Reason{Code: "detached", Message: "On no branch.\x1b[1m"}}
	locked := at("last", 1)
	locked.Locked, locked.Missing = true, true
	c := newConsole(t, map[string]any{"sidefork.workspaces": commands.WorkspacesResult{Repositories: []commands.Repository{{
		Root: "/r", Workspaces: []commands.Workspace{main, at("one", 1), at("one-a", 2), at("deep", 3), detached, locked, at("alone", 0), at("child", 1)},
	}}}})
	if status := c.line.main([]string{"workspaces"}); status != 0 {
		t.Fatalf("exit status %d: %s", status, c.err.String())
	}
	same(t, "stdout", `/r
main           01234567  /r        main checkout, 2 agents live
├─ one         01234567  /w/one
│  ├─ one-a    01234567  /w/one-a
│  │  └─ deep  01234567  /w/deep
│  └─ loose    01234567  /w/loose  1 agent live, cannot be forked: On no branch.[1m
└─ last        01234567  /w/last   locked, missing
alone          01234567  /w/alone
└─ child       01234567  /w/child
`, c.out.String())
}

func TestSessionsAreATable(t *testing.T) {
	long := session(newest, "", 0, "native")
	long.FirstPrompt, long.State, long.Status = "please  refactor\nthe parser so that it is \x1b[31mred and can be read by everyone", agent.Live, "busy"
	long.Cwd = "/w"
	broken := session(older, "", 30, "none")
	broken.Cwd = "/w"
	broken.Fork.Reason = &commands.Reason{Message: "It cannot be read."}
	c := newConsole(t, map[string]any{"sidefork.sessions": commands.SessionsResult{
		Sessions: []commands.Session{long, broken}, Next: "x", Problems: []agent.Problem{{Source: "/s", Message: "broken"}},
	}})
	if status := c.line.main([]string{"sessions", "--scope", "repository", "--agent", "claude", "--agent", "codex", "--limit", "2", "/w"}); status != 0 {
		t.Fatalf("exit status %d: %s", status, c.err.String())
	}
	same(t, "argument", map[string]any{"workspace": "/w", "scope": "repository", "agents": []any{"claude", "codex"}, "limit": 2.0}, c.last)
	same(t, "stdout", `AGENT   ID        TITLE                                                                     FOLDER  AGE   STATE       FORK
claude  9c322651  please refactor the parser so that it is [31mred and can be read by eve…  /w      now   live, busy  native
claude  868e93ae  (no title)                                                                /w      30 h  ended       none: It cannot be read.
There are more: ask with a larger --limit.
`, c.out.String())
	same(t, "stderr", "could not be read: /s: broken\n", c.err.String())
}

func TestAllSessionsAreAskedForWithoutAWorkspace(t *testing.T) {
	c := newConsole(t, map[string]any{"sidefork.sessions": commands.SessionsResult{}})
	c.line.main([]string{"sessions", "--scope", "all"})
	same(t, "asked", []string{"sidefork.sessions"}, c.asked)
	same(t, "scope", any("all"), c.last["scope"])
	same(t, "stdout", "There are no sessions.\n", c.out.String())
}

func TestShortIDsTellSessionsApart(t *testing.T) {
	all := []commands.Session{{ID: "01a22b74-de30-7c60"}, {ID: "01a22b74-de31-7c60"}}
	if got := unique(all); got != 13 {
		t.Errorf("%d characters", got)
	}
}

func TestInspectionIsASummary(t *testing.T) {
	i := commands.Inspection{
		Workspace:     commands.Workspace{Path: "/r", Branch: "main", Fork: commands.Forkable{Allowed: true}},
		SuggestedName: "r-fork", Sessions: []commands.Session{session(newest, "cache", 1, "native")},
		Changes: commands.Changes{Modified: 1, New: 2, Staged: 1, Bytes: 4096},
	}
	i.Base.Head, i.Base.Branch, i.Base.RepositoryDefault = "0123456789ab", "main", "main"
	c := newConsole(t, map[string]any{"sidefork.inspect": i})
	if status := c.line.main([]string{"inspect", "/r"}); status != 0 {
		t.Fatalf("exit status %d: %s", status, c.err.String())
	}
	same(t, "argument", map[string]any{"workspace": "/r"}, c.last)
	same(t, "stdout", `/r
  at         main 01234567
  fork       possible, for example as r-fork
  changes    1 modified, 2 new, 1 staged; 4.0 KiB
  default    main

AGENT   ID        TITLE  AGE  STATE  FORK
claude  9c322651  cache  1 h  ended  native
`, c.out.String())
}
