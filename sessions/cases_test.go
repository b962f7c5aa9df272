package sessions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/seen"
)

// The session cases of the case bank, by their numbers. Formats are those of public reports, older than the fixtures'.

// place is a user's home with a work folder beside it.
type place struct {
	t          testing.TB
	home, work string
}

func newPlace(t testing.TB) place {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{t: t, home: filepath.Join(top, "home"), work: filepath.Join(top, "work")}
	for _, folder := range []string{p.home, p.in("app")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p place) in(name string) string { return filepath.Join(p.work, filepath.FromSlash(name)) }

func (p place) config() Config {
	return Config{Getenv: func(name string) string {
		return map[string]string{"HOME": p.home, "USERPROFILE": p.home, "PATH": filepath.Join(p.home, "bin")}[name]
	}}
}

func sid(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-%012d", n, n) }

var noLetter = regexp.MustCompile(`[^a-zA-Z0-9]`)

// claude stores a transcript of content for a session that was started in cwd, last changed at.
func (p place) claude(cwd string, n int, at, content string) string {
	p.t.Helper()
	return p.write(filepath.Join(".claude", "projects", noLetter.ReplaceAllString(cwd, "-"), sid(n)+".jsonl"), at, content)
}

// codex stores a rollout of content.
func (p place) codex(n int, at, content string) string {
	p.t.Helper()
	day := strings.ReplaceAll(at[:10], "-", "/")
	return p.write(filepath.Join(".codex", "sessions", filepath.FromSlash(day), "rollout-"+at[:10]+"T10-00-00-"+sid(n)+".jsonl"), at, content)
}

func (p place) write(path, at, content string) string {
	p.t.Helper()
	path = filepath.Join(p.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if at != "" {
		stamp, err := time.Parse(time.RFC3339, at)
		if err != nil {
			p.t.Fatal(err)
		}
		if err := os.Chtimes(path, stamp, stamp); err != nil {
			p.t.Fatal(err)
		}
	}
	return path
}

// say is a message as Claude Code 2.1.0 wrote it.
func say(role, cwd string, n int, text, at string) string {
	return fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"cwd":%q,"sessionId":%q,"version":"2.1.0","gitBranch":"main","type":%q,"message":{"role":%q,"content":%q},"uuid":"%s-%s","timestamp":%q}`+"\n",
		cwd, sid(n), role, role, text, sid(n), at, at)
}

// talk is a sound transcript of two messages.
func talk(cwd string, n int, text, at string) string {
	return say("user", cwd, n, text, at) + say("assistant", cwd, n, "ok", at)
}

// listed is a line for each session: id, whether it can be forked, its title or else its first prompt.
func listed(sessions []Session) (lines []string) {
	for _, s := range sessions {
		title := s.Title
		if title == "" {
			title = s.FirstPrompt
		}
		lines = append(lines, fmt.Sprintf("%s %v %s", s.ID.ID, s.NotForkable == nil, title))
	}
	return lines
}

func (p place) want(q Query, want ...string) Page {
	p.t.Helper()
	page, err := List(p.t.Context(), p.config(), q)
	if err != nil {
		p.t.Fatal(err)
	}
	if got := listed(page.Sessions); !slices.Equal(got, want) {
		p.t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	p.remembered(q, page)
	return page
}

// remembered lists again with a memory, once that it is filled by and once that it is listed from: the answer is the same.
func (p place) remembered(q Query, want Page) {
	p.t.Helper()
	ctx, stop := context.WithCancel(p.t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	c := p.config()
	c.Seen = seen.New(func(f func(context.Context)) { running.Go(func() { f(ctx) }) }, func(bool) {})
	bySource := func(all []Problem) []Problem {
		return slices.SortedFunc(slices.Values(all), func(a, b Problem) int { return strings.Compare(a.Source, b.Source) })
	}
	for _, time := range []string{"first", "second"} {
		got, err := List(ctx, c, q)
		if err != nil || !reflect.DeepEqual(got.Sessions, want.Sessions) || got.Next != want.Next || !slices.Equal(bySource(got.Problems), bySource(want.Problems)) {
			p.t.Errorf("with a memory, the %s time: %v, %+v\nwithout: %+v", time, err, got, want)
		}
	}
}

func (p place) app() Query { return Query{Worktrees: []string{p.in("app")}} }

func TestCase101LastLineTorn(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	p.claude(app, 1, "2026-05-01T10:00:00Z", talk(app, 1, "first", "2026-05-01T10:00:00Z"))
	p.claude(app, 2, "2026-05-02T10:00:01Z", talk(app, 2, "torn", "2026-05-02T10:00:00Z")+`{"type":"assistant","message":{"role":"assistant","content":"half a wo`)
	page := p.want(p.app(), sid(2)+" true torn", sid(1)+" true first")
	if len(page.Problems) != 0 || page.Sessions[0].LastActivity.Second() != 0 {
		t.Errorf("got %+v", page)
	}
}

func TestCase103Nuls(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	p.claude(app, 1, "", say("user", app, 1, "nul", "2026-05-01T10:00:00Z")+strings.Repeat("\x00", 500)+"\n"+say("user", app, 1, "after", "2026-05-02T10:00:00Z"))
	page := p.want(p.app(), sid(1)+" true nul")
	if page.Sessions[0].LastActivity.Day() != 2 {
		t.Errorf("got %+v", page.Sessions[0])
	}
}

func TestCase104LineOfSixMegabytes(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	p.claude(app, 1, "2026-05-02T10:00:00Z", fmt.Sprintf(`{"type":"user","isSidechain":false,"cwd":%q,"sessionId":%q,"timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}},{"type":"text","text":"look at this"}]}}`+"\n",
		app, sid(1), strings.Repeat("A", 6000000))+say("assistant", app, 1, "ok", "2026-05-02T10:00:00Z"))
	p.want(p.app(), sid(1)+" true look at this")
}

func TestCase105EmptyAndHeadless(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	p.claude(app, 1, "", "")
	p.claude(app, 2, "", "\n\n\n")
	p.claude(app, 3, "", `{"type":"summary","summary":"only a summary","leafUuid":"x"}`+"\n")
	p.claude(app, 4, "", `{"type":"file-history-snapshot","messageId":"m","snapshot":{}}`+"\n"+say("user", app, 4, "real", "2026-05-01T10:00:00Z"))
	p.want(p.app(), sid(4)+" true real")
	for n := 1; n <= 3; n++ {
		s, err := Find(t.Context(), p.config(), ID{Agent: "claude", ID: sid(n)})
		if err != nil || s.NotForkable == nil || s.NotForkable.Code != "sessionEmpty" {
			t.Errorf("%d: %+v, %v", n, s, err)
		}
	}
}

func TestCase107FolderNamesCollide(t *testing.T) {
	p := newPlace(t)
	for i, name := range []string{"a-b", "a/b", "a_b", "a.b", "aéb"} {
		at := fmt.Sprintf("2026-05-0%dT10:00:00Z", i+1)
		p.claude(p.in(name), i+1, at, talk(p.in(name), i+1, "in "+name, at))
	}
	p.want(Query{Worktrees: []string{p.in("a-b")}}, sid(1)+" true in a-b")
}

func TestCase108FolderDeleted(t *testing.T) {
	p := newPlace(t)
	gone, app := p.in("gone-wt"), p.in("app")
	path := p.claude(gone, 1, "", talk(gone, 1, "from a removed worktree", "2026-05-01T10:00:00Z"))
	p.claude(app, 2, "", talk(app, 2, "alive", "2026-05-02T10:00:00Z"))
	// That nothing can start in the folder is the workspace's to say; the conversation itself can go on elsewhere.
	page := p.want(Query{Worktrees: []string{gone}}, sid(1)+" true from a removed worktree")
	if page.Sessions[0].Cwd != gone {
		t.Errorf("cwd %s", page.Sessions[0].Cwd)
	}
	program(t, p, "claude", "2.1.332 (Claude Code)")
	launch, err := PrepareLaunch(t.Context(), p.config(), page.Sessions[0], agent.ForkRequest{Child: app, Name: "x"})
	if err != nil || launch.Cwd != app || !slices.Contains(launch.Argv, path) {
		t.Errorf("got %+v, %v", launch, err)
	}
}

func TestCase110ThousandsOfSessions(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	want := []string{}
	pages := 3
	if testing.Short() {
		pages = 2 // of `make check`: thousands all the same
	}
	for i := 1; i <= 1000*pages; i++ {
		at := fmt.Sprintf("2026-04-01T%02d:%02d:%02dZ", i/3600, i/60%60, i%60)
		p.claude(app, i, "", fmt.Sprintf(`{"type":"user","isSidechain":false,"cwd":%q,"sessionId":%q,"timestamp":%q,"message":{"role":"user","content":"s %d"}}`+"\n", app, sid(i), at, i))
		want = append(want, fmt.Sprintf("%s true s %d", sid(i), i))
	}
	slices.Reverse(want)
	q := p.app()
	q.Limit = 1000
	for page := range pages {
		q.Cursor = p.want(q, want[1000*page:1000*page+1000]...).Next
	}
	if q.Cursor != "" {
		t.Errorf("a page more: %s", q.Cursor)
	}
}

func TestCase111TimesOfFilesLie(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	paths := []string{
		p.claude(app, 1, "2026-06-01T00:00:00Z", talk(app, 1, "old but touched", "2026-03-01T10:00:00Z")),
		p.claude(app, 2, "2026-02-01T00:00:00Z", talk(app, 2, "newest", "2026-05-05T10:00:00Z")),
		p.claude(app, 3, "2037-12-31T00:00:00Z", talk(app, 3, "clock went back", "2026-05-03T10:00:00Z")+say("user", app, 3, "earlier?", "2026-01-01T00:00:00Z")),
	}
	times := func() (all []time.Time) {
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, info.ModTime())
		}
		return all
	}
	before := times()
	p.want(p.app(), sid(2)+" true newest", sid(3)+" true clock went back", sid(1)+" true old but touched")
	if !slices.EqualFunc(before, times(), time.Time.Equal) {
		t.Error("listing changed a file's time")
	}
}

func TestCase112ForkIntoAnotherFolder(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	path := p.claude(app, 1, "", talk(app, 1, "parent talk", "2026-05-01T10:00:00Z"))
	page := p.want(p.app(), sid(1)+" true parent talk")
	// An agent that finds an id only in its own folder is given the file.
	program(t, p, "claude", "2.1.220 (Claude Code)")
	launch, err := PrepareLaunch(t.Context(), p.config(), page.Sessions[0], agent.ForkRequest{Child: p.in("child"), Name: "child"})
	if err != nil || !slices.Contains(launch.Argv, path) || slices.Contains(launch.Argv, sid(1)) {
		t.Errorf("got %+v, %v", launch, err)
	}
	if entries, err := os.ReadDir(filepath.Join(p.home, ".claude", "projects")); err != nil || len(entries) != 1 {
		t.Errorf("the store has %v, %v", entries, err)
	}
}

func TestCase115Rollouts(t *testing.T) {
	p := newPlace(t)
	app := p.in("app")
	rollout := func(n int, cwd, at, text, more string) {
		p.codex(n, at, fmt.Sprintf(`{"timestamp":%q,"type":"session_meta","payload":{"id":%q,"timestamp":%q,"cwd":%q,"originator":"codex_cli_rs","cli_version":"0.150.0"%s}}`+"\n"+
			`{"timestamp":%q,"type":"event_msg","payload":{"type":"user_message","message":%q}}`+"\n", at, sid(n), at, cwd, more, at, text))
	}
	rollout(1, app, "2026-05-01T10:00:00Z", "sound", "")
	p.codex(2, "2026-05-01T11:00:00Z", `{"timestamp":"2026-05-01T11:00:00Z","type":"session_me`)
	rollout(3, app, "2026-05-02T10:00:00Z", "huge meta", `,"instructions":"`+strings.Repeat("i", 300000)+`"`)
	rollout(4, app, "2026-05-03T10:00:00Z", "a fork", `,"forked_from_id":"`+sid(1)+`"`)
	rollout(5, p.in("other"), "2026-05-03T12:00:00Z", "other folder", "")
	page := p.want(p.app(), sid(4)+" true a fork", sid(3)+" true huge meta", sid(1)+" true sound")
	if parent := page.Sessions[0].Parent; len(page.Problems) != 0 || parent == nil || parent.ID != sid(1) {
		t.Errorf("got %+v", page)
	}
}
