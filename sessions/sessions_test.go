package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

// refused checks that err refuses with a code.
func refused(t *testing.T, err error, code string) *Refusal {
	t.Helper()
	no, ok := errors.AsType[*Refusal](err)
	if !ok || no.Code != code {
		t.Fatalf("got %v, want the refusal %s", err, code)
	}
	return no
}

func TestWorkspaceIsTheDeepestThatHoldsTheFolder(t *testing.T) {
	tops := []string{"/w/app", "/w/app/.worktrees/a", "/w/app-2", "/w"}
	tests := []struct{ cwd, want string }{
		{"/w/app", "/w/app"},
		{"/w/app/sub/deep", "/w/app"},
		{"/w/app/.worktrees/a/sub", "/w/app/.worktrees/a"},
		{"/w/app/.worktrees/ab", "/w/app"},
		{"/w/app-2/x", "/w/app-2"},
		{"/w/app-3", "/w"},
		{"/w/app/../app-2", "/w/app-2"},
		{"/w2", ""},
		{"/", ""},
		{"app", ""},
		{"", ""},
	}
	for _, test := range tests {
		slices.Reverse(tops)
		if got := Workspace(test.cwd, tops); got != test.want {
			t.Errorf("%s: %q, want %q", test.cwd, got, test.want)
		}
	}
	if Workspace("/w", nil) != "" {
		t.Error("a workspace without worktrees")
	}
}

func TestOnlyLeavesOutWorktreesInside(t *testing.T) {
	p := newPlace(t)
	app, inner := p.in("app"), p.in("app/.worktrees/a")
	p.claude(app, 1, "", talk(app, 1, "outer", "2026-05-01T10:00:00Z"))
	p.claude(inner, 2, "", talk(inner, 2, "inner", "2026-05-02T10:00:00Z"))
	tops := []string{app, inner}
	p.want(Query{Worktrees: tops}, sid(2)+" true inner", sid(1)+" true outer")
	p.want(Query{Worktrees: tops, Only: app}, sid(1)+" true outer")
	p.want(Query{Worktrees: tops, Only: inner}, sid(2)+" true inner")
	p.want(Query{Worktrees: []string{}})
	p.want(Query{}, sid(2)+" true inner", sid(1)+" true outer")
}

func TestListIsOneListOfAllAgents(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	p.claude(app, 1, "", talk(app, 1, "claude's", "2026-05-01T10:00:00Z"))
	p.codex(2, "2026-05-02T10:00:00Z", `{"timestamp":"2026-05-02T10:00:00Z","type":"session_meta","payload":{"id":"`+sid(2)+`","cwd":"`+filepath.ToSlash(app)+`"}}`)
	p.want(p.app(), sid(2)+" true ", sid(1)+" true claude's")
	p.want(Query{Agents: []string{"claude"}}, sid(1)+" true claude's")
	p.want(Query{Agents: []string{}})
	_, err := List(t.Context(), p.config(), Query{Agents: []string{"claude", "nobody"}})
	if no := refused(t, err, "agentUnknown"); no.Args["agent"] != "nobody" || no.Args["known"] != "claude, codex, opencode, pi" {
		t.Errorf("got %v", no.Args)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = List(ctx, p.config(), Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPagesNeitherRepeatNorHideSessions(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	for n := 1; n <= 7; n++ {
		at := fmt.Sprintf("2026-05-0%dT10:00:00Z", (n+1)/2) // two of each time
		p.claude(app, n, "", talk(app, n, fmt.Sprint(n), at))
	}
	q := p.app()
	q.Limit = 2
	first := p.want(q, sid(7)+" true 7", sid(5)+" true 5")
	q.Cursor = first.Next
	// What comes and goes meanwhile changes nothing else.
	p.claude(app, 8, "", talk(app, 8, "8", "2026-06-01T10:00:00Z"))
	if err := os.Remove(first.Sessions[1].Source); err != nil {
		t.Fatal(err)
	}
	q.Cursor = p.want(q, sid(6)+" true 6", sid(3)+" true 3").Next
	q.Limit = 3
	if last := p.want(q, sid(4)+" true 4", sid(1)+" true 1", sid(2)+" true 2"); last.Next != "" {
		t.Errorf("a page behind the last: %s", last.Next)
	}
	for _, cursor := range []string{"x", "!", "MSAy", "YSBiIGM"} {
		q.Cursor = cursor
		_, err := List(t.Context(), p.config(), q)
		refused(t, err, "invalidArgument")
	}
	_, err := List(t.Context(), p.config(), Query{Limit: -1})
	refused(t, err, "invalidArgument")
}

func TestOneEntryForASessionThatIsThereTwice(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	p.claude(app, 1, "", talk(app, 1, "older", "2026-05-01T10:00:00Z"))
	other := filepath.Join(filepath.Dir(p.home), "other")
	if err := os.CopyFS(other, os.DirFS(filepath.Join(p.home, ".claude"))); err != nil {
		t.Fatal(err)
	}
	p.claude(app, 1, "", talk(app, 1, "newer", "2026-05-02T10:00:00Z"))
	c := p.config()
	c.Homes = map[string][]string{"claude": {other, "~/.claude", "relative", filepath.Join(other, "..", "other")}}
	page, err := List(t.Context(), c, p.app())
	if err != nil || !slices.Equal(listed(page.Sessions), []string{sid(1) + " true newer"}) || !page.Sessions[0].DefaultHome {
		t.Errorf("got %+v, %v", page, err)
	}
}

func TestMergePrefersWhatRunsThenWhatForksThenWhatIsNewer(t *testing.T) {
	id := ID{Agent: "claude", ID: sid(1)}
	at := func(day int) Session {
		s := Session{ID: id, State: agent.Ended}
		s.LastActivity = s.LastActivity.AddDate(2000, 0, day)
		return s
	}
	newest, oldest := at(9), at(1)
	live := at(2)
	live.State = agent.Live
	broken := at(10)
	broken.NotForkable = agent.Refuse("sessionEmpty")
	for _, test := range []struct {
		name string
		all  []Session
		want Session
	}{
		{"live", []Session{newest, live, oldest, broken}, live},
		{"newer", []Session{oldest, newest, broken}, newest},
		{"forkable", []Session{broken, oldest}, oldest},
	} {
		for range 2 {
			slices.Reverse(test.all)
			if got := merge(test.all); len(got) != 1 || !got[0].LastActivity.Equal(test.want.LastActivity) {
				t.Errorf("%s: got %+v", test.name, got)
			}
		}
	}
}

func TestHomesAreEachListedOnce(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	work := filepath.Join(filepath.Dir(p.home), "work-home")
	p.claude(app, 1, "", talk(app, 1, "one", "2026-05-01T10:00:00Z"))
	if err := os.Rename(filepath.Join(p.home, ".claude"), work); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": p.home, "USERPROFILE": p.home, "CLAUDE_CONFIG_DIR": work}
	c := Config{Getenv: func(name string) string { return env[name] }}
	page, err := List(t.Context(), c, p.app())
	if err != nil || len(page.Sessions) != 1 || page.Sessions[0].DefaultHome || page.Sessions[0].Home != work {
		t.Fatalf("got %+v, %v", page, err)
	}
	// A variable that names the default folder is kept: with it the agent looks elsewhere for its settings.
	if err := os.Symlink(work, filepath.Join(p.home, ".claude")); err != nil {
		t.Fatal(err)
	}
	if page, err = List(t.Context(), c, p.app()); err != nil || len(page.Sessions) != 1 || page.Sessions[0].DefaultHome {
		t.Errorf("got %+v, %v", page, err)
	}
	delete(env, "CLAUDE_CONFIG_DIR")
	if page, err = List(t.Context(), c, p.app()); err != nil || len(page.Sessions) != 1 || !page.Sessions[0].DefaultHome {
		t.Errorf("got %+v, %v", page, err)
	}
}

func TestFindRefusesWhatItCannotFind(t *testing.T) {
	p := newPlace(t)
	tests := []struct {
		id   ID
		code string
	}{
		{ID{Agent: "nobody", ID: sid(1)}, "agentUnknown"},
		{ID{Agent: "claude", ID: "--help"}, "invalidSession"},
		{ID{Agent: "claude", ID: "../../" + sid(1)}, "invalidSession"},
		{ID{Agent: "claude", ID: sid(1) + "\n"}, "invalidSession"},
		{ID{Agent: "codex", ID: sid(1)[:13]}, "invalidSession"},
		{ID{Agent: "claude", ID: sid(1)}, "sessionUnknown"},
		{ID{Agent: "codex", ID: sid(1)}, "sessionUnknown"},
	}
	for _, test := range tests {
		_, err := Find(t.Context(), p.config(), test.id)
		refused(t, err, test.code)
	}
	app := p.in("app")
	p.claude(app, 1, "", talk(app, 1, "one", "2026-05-01T10:00:00Z"))
	if s, err := Find(t.Context(), p.config(), ID{Agent: "claude", ID: sid(1)}); err != nil || s.FirstPrompt != "one" {
		t.Errorf("got %+v, %v", s, err)
	}
}
