package cli

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sessions/agent"
)

// narrowly runs a command on a terminal of that many columns and wants no line to be longer.
func narrowly(t *testing.T, columns int, answers map[string]any, args ...string) string {
	t.Helper()
	c := newConsole(t, answers)
	c.line.width = columns
	if status := c.line.main(args); status != 0 {
		t.Fatalf("exit status %d: %s", status, c.err.String())
	}
	for line := range strings.Lines(c.out.String()) {
		if n := ansi.StringWidth(strings.TrimSuffix(line, "\n")); n > columns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	return c.out.String()
}

func TestTablesFitANarrowTerminalAndLoseNoReason(t *testing.T) {
	deep := "/home/somebody/src/a-company/a-product/services/backend"
	it, other := session(newest, strings.Repeat("word ", 20), 1, "native"), session(older, "x", 2, "none")
	it.Cwd, it.State, it.Status = deep, agent.Live, "waiting"
	other.Cwd = deep + "-worktrees/try-cache"
	other.Fork.Reason = &commands.Reason{Message: "The session " + older + " belongs to another workspace."}
	all := map[string]any{"sidefork.sessions": listed(it, other)}
	text := narrowly(t, 80, all, "sessions", "--scope", "repository")
	for _, want := range []string{"AGENT ", "FOLDER", "native\n", "…", "-cache ", "\n    none: The session " + older + " belongs to another\n    workspace.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}

	parent := deep
	child := commands.Workspace{Path: other.Cwd, Branch: "feature/a-branch-with-a-rather-long-name", Head: oid, Depth: 1, Parent: &parent, Missing: true}
	child.Fork.Reason = &commands.Reason{Message: "The folder " + other.Cwd[:20] + " does not exist."}
	main := commands.Workspace{Path: deep, Branch: "main", Head: oid, Main: true, Fork: commands.Forkable{Allowed: true}}
	repositories := commands.WorkspacesResult{Repositories: []commands.Repository{{Root: "/r", Workspaces: []commands.Workspace{main, child}}}}
	text = narrowly(t, 80, map[string]any{"sidefork.workspaces": repositories}, "workspaces")
	for _, want := range []string{"main checkout\n", "└─ feature/", "\n    missing, cannot be forked: The folder"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	plan := planned()
	plan.Files[0].Path = strings.Repeat("long/", 30)
	plan.Commands, plan.Launch = nil, nil
	narrowly(t, 80, map[string]any{"sidefork.plan": plan}, "plan", "--name", "x", "--no-session")
}

func TestTablesAreWholeWhereNoTerminalIs(t *testing.T) {
	it := session(newest, "title", 1, "none")
	it.Cwd = "/" + strings.Repeat("long/", 40)
	it.Fork.Reason = &commands.Reason{Message: strings.Repeat("why ", 40) + "."}
	c := newConsole(t, map[string]any{"sidefork.sessions": listed(it)})
	c.line.main([]string{"sessions", "--scope", "all"})
	if !strings.Contains(c.out.String(), it.Cwd) || !strings.Contains(c.out.String(), it.Fork.Reason.Message) {
		t.Errorf("something was cut:\n%s", c.out.String())
	}
}

func TestOnlyTheListOfOneWorkspaceHasNoFolders(t *testing.T) {
	for scope, want := range map[string]bool{"workspace": false, "repository": true, "all": true} {
		c := newConsole(t, map[string]any{"sidefork.sessions": listed(session(newest, "x", 1, "native"))})
		c.line.main([]string{"sessions", "--scope", scope})
		if got := strings.Contains(c.out.String(), "FOLDER"); got != want {
			t.Errorf("%s: folders %v:\n%s", scope, got, c.out.String())
		}
	}
}

func TestABareRepositoryIsNoMainCheckout(t *testing.T) {
	bare := commands.Workspace{Path: "/r.git", Name: "r.git", Branch: "main", Head: oid, Main: true}
	bare.Fork.Reason = &commands.Reason{Code: "bare", Message: "It is bare."}
	c := newConsole(t, map[string]any{"sidefork.workspaces": commands.WorkspacesResult{Repositories: []commands.Repository{{Root: "/r.git", Workspaces: []commands.Workspace{bare}}}}})
	c.line.main([]string{"workspaces"})
	same(t, "stdout", "/r.git\nmain  01234567  /r.git  bare, cannot be forked: It is bare.\n", c.out.String())
}

func TestTablesAlignWideCharacters(t *testing.T) {
	wide, marked, plain := session(newest, strings.Repeat("日本語", 20), 1, "native"), session(older, "e\u0301te\u0301 👩‍👩‍👧", 2, "native"), session("33333333-3333-4333-8333-333333333333", "plain", 3, "native")
	answers := map[string]any{"sidefork.sessions": listed(wide, marked, plain)}
	for _, columns := range []int{60, 80, 200} {
		var ends []int
		for text := range strings.Lines(narrowly(t, columns, answers, "sessions")) {
			if before, _, found := strings.Cut(text, " native"); found {
				ends = append(ends, ansi.StringWidth(before))
			}
		}
		if len(ends) != 3 || ends[0] != ends[1] || ends[1] != ends[2] {
			t.Errorf("at %d columns the last column begins at %v", columns, ends)
		}
	}
}

func TestWideWordsAreBrokenAndPathsAreNot(t *testing.T) {
	same(t, "wide", []string{"なぜ", "フォーク", "できない", "のか"}, wrap("なぜ フォークできないのか", 8))
	same(t, "a path", []string{"at", "/a/very/long/path"}, wrap("at /a/very/long/path", 8))
}
