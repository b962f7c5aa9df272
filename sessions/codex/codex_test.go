package codex

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

const (
	fixtures = "../../test/fixtures/codex"
	repo     = "/srv/projects/acme-widget/repo"
	parentID = "01a22b74-de30-7c60-9f84-1e499e1a91be"
)

// newHome makes an account folder of a fixture.
func newHome(t *testing.T, fixture string) (home string, homes agent.Homes) {
	t.Helper()
	home = filepath.Join(t.TempDir(), ".codex")
	if err := os.CopyFS(home, os.DirFS(filepath.Join(fixtures, fixture))); err != nil {
		t.Fatal(err)
	}
	return home, agent.Homes{Default: home}
}

// put stores a rollout as Codex would.
func put(t *testing.T, home, day, id string, content []byte) string {
	t.Helper()
	path := filepath.Join(home, "sessions", filepath.FromSlash(day), "rollout-2026-11-30T00-00-00-"+id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// lookFor gives the session whose id begins so.
func lookFor(sessions []agent.Session, start string) *agent.Session {
	i := slices.IndexFunc(sessions, func(s agent.Session) bool { return strings.HasPrefix(s.ID.ID, start) })
	if i < 0 {
		return nil
	}
	return &sessions[i]
}

func code(s *agent.Session) string {
	if s == nil || s.NotForkable == nil {
		return ""
	}
	return s.NotForkable.Code
}

func TestListTellsEveryFixture(t *testing.T) {
	home, homes := newHome(t, "home")
	sessions, problems := list(t.Context(), nil, homes, nil)
	if len(problems) != 0 {
		t.Errorf("problems %v", problems)
	}
	const wt3 = "/srv/projects/acme-widget/wt-3"
	tests := []struct{ id, cwd, branch, title, prompt, parent string }{
		{id: "01a22b74-de30", cwd: repo, branch: "main", prompt: "codeword is ZEBRA-ALPHA-1; remember it"},
		{id: "01a22b76-52f5", cwd: "/srv/projects/acme-widget/wt-child", branch: "child", prompt: "what was the codeword?", parent: "01a22b74-de30"},
		{id: "01a22b76-cfa9", cwd: "/srv/projects/acme-widget/wt-child", branch: "child", title: "SLEEP6 what was the codeword", prompt: "SLEEP6 what was the codeword", parent: "01a22b74-de30"},
		{id: "01a22b78-1915", cwd: "/srv/projects/acme-widget/wt-2", branch: "b2", title: "codeword is ZEBRA-ALPHA-1; remember it", parent: "01a22b74-de30"},
		{id: "01a22b78-39e0", cwd: repo, branch: "main", title: "fresh hello codeword YAK-22", prompt: "fresh hello codeword YAK-22"},
		{id: "01a22b78-f5c0", cwd: repo, branch: "main", title: "first turn codeword OKAPI-33", prompt: "first turn codeword OKAPI-33"},
		{id: "01a22b79-0175", cwd: "/srv/projects/acme-widget/wt-2", branch: "b2", title: "first turn codeword OKAPI-33", prompt: "live midturn fork", parent: "01a22b78-f5c0"},
		{id: "01a22b7b-9208", cwd: repo, branch: "main", prompt: "SPAWN a worker, codeword HERON-55"},
		{id: "01a22b7b-f728", cwd: repo, branch: "main"},
		{id: "01a22b7c-0c57", cwd: repo, branch: "main", prompt: "Review the code changes introduced by commit HEAD. Provide prioritized, actionable findings."},
		{id: "01a22b7c-b43b", cwd: repo, branch: "main", prompt: "codeword QUOKKA-0.121.0; remember"},
		{id: "01a22b7c-e557", cwd: wt3, prompt: "codeword QUOKKA-0.121.0; remember", parent: "01a22b7c-b43b"},
	}
	for _, test := range tests {
		t.Run(test.id, func(t *testing.T) {
			s := lookFor(sessions, test.id)
			if s == nil {
				t.Fatal("not listed")
			}
			var parent string
			if s.Parent != nil {
				parent = s.Parent.ID
			}
			switch {
			case s.Cwd != test.cwd, test.branch != "" && s.Branch != test.branch, s.Title != test.title:
				t.Errorf("cwd %s branch %s title %q", s.Cwd, s.Branch, s.Title)
			case test.prompt != "" && s.FirstPrompt != test.prompt, strings.HasPrefix(s.FirstPrompt, "<"):
				t.Errorf("prompt %q", s.FirstPrompt)
			case !strings.HasPrefix(parent, test.parent), test.parent == "" && parent != "":
				t.Errorf("parent %q", parent)
			case s.NotForkable != nil, s.State != agent.Ended, s.Home != home, !s.DefaultHome:
				t.Errorf("got %+v", s)
			case s.StartedAt.IsZero(), s.LastActivity.Before(s.StartedAt), s.LastActivity.Year() != 2026:
				t.Errorf("from %v to %v", s.StartedAt, s.LastActivity)
			}
		})
	}
	if len(sessions) != len(tests) {
		t.Errorf("%d sessions, want %d", len(sessions), len(tests))
	}
	for _, id := range []string{"01a22b7b-927b", "01a22b7b-f76d", "01a22b7c-0c98"} {
		if lookFor(sessions, id) != nil {
			t.Errorf("the subagent %s is listed", id)
		}
	}
}

func TestListOfAFolderIsExact(t *testing.T) {
	_, homes := newHome(t, "home")
	sessions, _ := list(t.Context(), nil, homes, []string{"/srv/projects/acme-widget/wt-2"})
	if len(sessions) != 2 {
		t.Errorf("got %d sessions", len(sessions))
	}
	if fork := lookFor(sessions, "01a22b78-1915"); fork == nil || fork.Title != "codeword is ZEBRA-ALPHA-1; remember it" {
		t.Error("the title of a parent elsewhere is not found")
	}
}

func TestListTellsEveryDamagedFixture(t *testing.T) {
	tests := []struct {
		folder string
		listed bool
		prompt string
		find   string
	}{
		{"corrupt/c1", true, "codeword is ZEBRA-ALPHA-1; remember it", ""},
		{"corrupt/c2", false, "", "sessionBroken"},
		{"corrupt/c3", false, "", "sessionBroken"},
		{"corrupt/c4", true, "codeword is ZEBRA-ALPHA-1; remember it", ""},
		{"corrupt/c5", true, "codeword is ZEBRA-ALPHA-1; remember it", ""},
	}
	for _, test := range tests {
		t.Run(test.folder, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), ".codex")
			day := filepath.Join(home, "sessions", "2026", "11", "30")
			if err := os.CopyFS(day, os.DirFS(filepath.Join(fixtures, test.folder))); err != nil {
				t.Fatal(err)
			}
			homes := agent.Homes{Default: home}
			sessions, problems := list(t.Context(), nil, homes, []string{repo})
			if len(problems) != 0 || len(sessions) == 1 != test.listed {
				t.Fatalf("%d sessions, problems %v", len(sessions), problems)
			}
			if test.listed && (sessions[0].FirstPrompt != test.prompt || sessions[0].LastActivity.Year() != 2026) {
				t.Errorf("got %+v", sessions[0])
			}
			if _, problems = list(t.Context(), nil, homes, nil); len(problems) == 1 == test.listed {
				t.Errorf("the whole list has problems %v", problems)
			}
			found, _ := find(t.Context(), homes, parentID)
			if len(found) != 1 || code(&found[0]) != test.find {
				t.Errorf("find says %+v", found)
			}
		})
	}
}

func TestAnArchivedSessionIsListedWithTheReason(t *testing.T) {
	home, homes := newHome(t, "home-archived")
	sessions, _ := list(t.Context(), nil, homes, []string{repo})
	if len(sessions) != 1 || code(&sessions[0]) != "sessionArchived" {
		t.Fatalf("got %+v", sessions)
	}
	// One that is there twice is not archived.
	content, err := os.ReadFile(sessions[0].Source)
	if err != nil {
		t.Fatal(err)
	}
	put(t, home, "2026/11/30", parentID, content)
	if sessions, _ = list(t.Context(), nil, homes, nil); len(sessions) != 1 || sessions[0].NotForkable != nil {
		t.Errorf("got %+v", sessions)
	}
}

func TestAForkNeedsItsParentsRollout(t *testing.T) {
	home, homes := newHome(t, "home")
	found, _ := find(t.Context(), homes, parentID)
	if len(found) != 1 {
		t.Fatal("no parent")
	}
	rollout := found[0].Source
	archive := filepath.Join(home, "archived_sessions", filepath.Base(rollout))
	if err := os.Mkdir(filepath.Dir(archive), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(rollout, archive); err != nil {
		t.Fatal(err)
	}
	sessions, _ := list(t.Context(), nil, homes, nil)
	if fork := lookFor(sessions, "01a22b76-52f5"); fork == nil || fork.NotForkable != nil {
		t.Errorf("with an archived parent: %+v", fork)
	}
	if err := os.Remove(archive); err != nil {
		t.Fatal(err)
	}
	sessions, _ = list(t.Context(), nil, homes, nil)
	for _, id := range []string{"01a22b76-52f5", "01a22b76-cfa9", "01a22b78-1915"} {
		fork := lookFor(sessions, id)
		if code(fork) != "sessionParentGone" || fork.NotForkable.Args["parent"] != parentID {
			t.Errorf("%s: %+v", id, fork)
		}
	}
	// A fork of a session of 0.121 is a whole copy.
	old := lookFor(sessions, "01a22b7c-b43b")
	if err := os.Remove(old.Source); err != nil {
		t.Fatal(err)
	}
	sessions, _ = list(t.Context(), nil, homes, nil)
	if fork := lookFor(sessions, "01a22b7c-e557"); fork == nil || fork.NotForkable != nil {
		t.Errorf("a copied fork: %+v", fork)
	}
}

// line1 is the first line of a rollout.
func line1(id, cwd, more string) string {
	return `{"timestamp":"2026-11-30T08:00:00.000Z","type":"session_meta","payload":{"id":"` + id + `","cwd":"` + cwd + `"` + more + "}}\n"
}

func TestAForksGrandparentMustBeThereToo(t *testing.T) {
	home, homes := newHome(t, "home-archived")
	base := func(id string) string { return `,"source":"cli","history_base":{"thread_id":"` + id + `"}` }
	const child, grandchild, round = "11111111-0000-7000-8000-000000000000", "22222222-0000-7000-8000-000000000000", "33333333-0000-7000-8000-000000000000"
	put(t, home, "2026/11/30", child, []byte(line1(child, "/w", base(parentID))))
	put(t, home, "2026/11/30", grandchild, []byte(line1(grandchild, "/w", base(child))))
	put(t, home, "2026/11/30", round, []byte(line1(round, "/w", base(round)+`,"forked_from_id":"`+round+`"`)))
	sessions, _ := list(t.Context(), nil, homes, []string{"/w"})
	if s := lookFor(sessions, grandchild); len(sessions) != 3 || s.NotForkable != nil {
		t.Errorf("got %+v", sessions)
	}
	if err := os.RemoveAll(filepath.Join(home, "archived_sessions")); err != nil {
		t.Fatal(err)
	}
	sessions, _ = list(t.Context(), nil, homes, []string{"/w"})
	if s := lookFor(sessions, grandchild); code(s) != "sessionParentGone" || s.NotForkable.Args["parent"] != parentID {
		t.Errorf("got %+v", s)
	}
}

func TestFindTellsWhyASubagentCannotBeForked(t *testing.T) {
	_, homes := newHome(t, "home")
	for _, id := range []string{"01a22b7b-927b-7e10-99b4-748e616dda0c", "01a22b7b-f76d-7ad2-b507-5341825bb274", "01a22b7c-0c98-7733-90c0-6d2cd1171e29"} {
		if found, _ := find(t.Context(), homes, id); len(found) != 1 || code(&found[0]) != "sessionSubagent" {
			t.Errorf("%s: %+v", id, found)
		}
	}
}

func TestFindGoesByLine1AndNotByTheName(t *testing.T) {
	home, homes := newHome(t, "home-archived")
	const inside, outside = "11111111-0000-7000-8000-000000000000", "22222222-0000-7000-8000-000000000000"
	put(t, home, "2026/11/30", outside, []byte(line1(inside, "/w", "")))
	if found, _ := find(t.Context(), homes, inside); len(found) != 1 || found[0].ID.ID != inside {
		t.Errorf("got %+v", found)
	}
	if found, _ := find(t.Context(), homes, "33333333-0000-7000-8000-000000000000"); len(found) != 0 {
		t.Errorf("got %+v", found)
	}
}

// counted counts the bytes that are read.
type counted struct {
	io.ReaderAt
	read int64
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.read += int64(n)
	return n, err
}

func TestAGlanceIsAKilobyteUnlessLine1IsStrange(t *testing.T) {
	const id = "11111111-0000-7000-8000-000000000000"
	instructions := `,"base_instructions":"` + strings.Repeat("x", 300<<10) + `"`
	tests := []struct {
		name, line string
		cwd        string
		limit      int64
		sub        bool
	}{
		{"as Codex writes it", line1(id, "/w", `,"source":"cli"`+instructions), "/w", firstGlance, false},
		{"without a source", line1(id, "/w", instructions), "/w", 400 << 10, false},
		{"with a long path", line1(id, "/"+strings.Repeat("w", 3000), `,"source":{"subagent":"review"}`), "/" + strings.Repeat("w", 3000), 10 << 10, true},
		{"with a source far behind", line1(id, "/w", `,"originator":"`+strings.Repeat("o", 2000)+`","source":{"subagent":"review"}`), "/w", 10 << 10, true},
		{"short and without a source", line1(id, "/w", ""), "/w", firstGlance, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := &counted{ReaderAt: strings.NewReader(test.line)}
			m, err := glance(r, int64(len(test.line)))
			if err != nil || !m.ok || m.id != id || m.cwd != test.cwd || m.subagent != test.sub {
				t.Errorf("got %+v, %v", m, err)
			}
			if r.read > test.limit {
				t.Errorf("read %d bytes", r.read)
			}
		})
	}
}

func TestReadingIsBoundedInAHugeRollout(t *testing.T) {
	const size, id = 500 << 20, "11111111-0000-7000-8000-000000000000"
	for name, start := range map[string]string{"with a head": line1(id, "/w", `,"source":"cli"`), "a hole from the start": ""} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Create(filepath.Join(t.TempDir(), "sparse"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteString(start); err != nil {
				t.Fatal(err)
			}
			tail := "\n" + `{"timestamp":"2026-12-01T00:00:00Z","type":"event_msg","payload":{}}` + "\n"
			if _, err := f.WriteAt([]byte(tail), size-int64(len(tail))); err != nil {
				t.Fatal(err)
			}
			r := &counted{ReaderAt: f}
			m, err := glance(r, size)
			if err != nil || m.ok != (start != "") {
				t.Errorf("got %+v, %v", m, err)
			}
			told, err := readStory(r, size)
			if err != nil || told.last.Month() != time.December || told.ok != (start != "") {
				t.Errorf("got %+v, %v", told, err)
			}
			if r.read > 2*headLimit+17*tailLimit+firstGlance {
				t.Errorf("read %d bytes", r.read)
			}
		})
	}
}

func TestTimeBeforeALineLongerThanTheTailIsFound(t *testing.T) {
	text := line1(parentID, "/w", "") + `{"timestamp":"2026-12-01T00:00:00Z","type":"event_msg","payload":"` + strings.Repeat("x", 2*tailLimit) + `"}`
	told, err := readStory(strings.NewReader(text), int64(len(text)))
	if err != nil || told.last.Month() != time.December {
		t.Errorf("last activity %v, %v", told.last, err)
	}
}

func TestListEndsWithItsContext(t *testing.T) {
	_, homes := newHome(t, "home")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if sessions, _ := list(ctx, nil, homes, nil); len(sessions) != 0 {
		t.Errorf("read on: %v", sessions)
	}
}

func TestForkGivesTheCommandOfTheInstalledVersion(t *testing.T) {
	parent := agent.Session{ID: agent.ID{Agent: "codex", ID: parentID}, Home: "/home/u/.codex", DefaultHome: true}
	tests := []struct {
		version agent.Version
		args    []string
		prompt  string
		want    []string
	}{
		{agent.Version{0, 171, 0}, nil, "", []string{"/bin/codex", "fork", "-c", "tui.resume_cwd=current", parentID}},
		{agent.Version{0, 159, 0}, nil, "go on", []string{"/bin/codex", "fork", "-c", "tui.resume_cwd=current", parentID, "go on"}},
		{agent.Version{0, 158, 9}, nil, "", []string{"/bin/codex", "fork", "-C", "/child", parentID}},
		{agent.Version{0, 171, 0}, []string{"-m", "gpt"}, "-x", []string{"/bin/codex", "-m", "gpt", "fork", "-c", "tui.resume_cwd=current", parentID, "--", "-x"}},
	}
	for _, test := range tests {
		got, err := fork(agent.ForkRequest{Parent: parent, Child: "/child", Prompt: test.prompt, Program: "/bin/codex", Version: test.version, Arguments: test.args})
		if err != nil || !slices.Equal(got.Argv, test.want) || got.Cwd != "/child" || got.Session.ID != "" {
			t.Errorf("got %+v, %v", got, err)
		}
		if home, named := got.Env["CODEX_HOME"]; !named || home != nil || len(got.Env) != 1 {
			t.Errorf("environment %v", got.Env)
		}
	}
	parent.Home, parent.DefaultHome = "/home/u/.codex-work", false
	got, _ := fork(agent.ForkRequest{Parent: parent, Child: "/child", Program: "/bin/codex"})
	if home := got.Env["CODEX_HOME"]; home == nil || *home != "/home/u/.codex-work" {
		t.Errorf("environment %v", got.Env)
	}
}

func TestAwaitStartSeesTheForkAndNoOther(t *testing.T) {
	home := t.TempDir()
	child := t.TempDir()
	today := time.Now().Format("2006/01/02")
	now := time.Now().UTC().Format(time.RFC3339Nano)
	rollout := func(id, from, cwd, at, source string) {
		content := `{"timestamp":"` + at + `","type":"session_meta","payload":{"id":"` + id + `","forked_from_id":"` + from + `","cwd":"` + cwd + `","source":` + source + "}}\n"
		put(t, home, today, id, []byte(content))
	}
	const want = "99999999-0000-7000-8000-000000000000"
	rollout("11111111-0000-7000-8000-000000000000", parentID, "/elsewhere", now, `"cli"`)
	rollout("22222222-0000-7000-8000-000000000000", want, child, now, `"cli"`)
	rollout("33333333-0000-7000-8000-000000000000", parentID, child, "2020-01-01T00:00:00Z", `"cli"`)
	rollout("44444444-0000-7000-8000-000000000000", parentID, child, now, `{"subagent":"review"}`)
	put(t, home, today, "55555555-0000-7000-8000-000000000000", []byte(`{"timestamp":"`))

	launch := agent.Launch{Cwd: child, Parent: agent.ID{Agent: "codex", ID: parentID}, Prepared: time.Now()}
	if id := newFork(agent.Session{Home: home}, launch, map[string]bool{}); id != "" {
		t.Fatalf("took %s for the fork", id)
	}
	seen := make(chan agent.Started)
	go func() {
		started, err := awaitStart(t.Context(), agent.Session{Home: home}, launch)
		if err != nil {
			t.Error(err)
		}
		seen <- started
	}()
	rollout(want, parentID, child, now, `"cli"`)
	if got := <-seen; got.Session != (agent.ID{Agent: "codex", ID: want}) {
		t.Errorf("got %+v", got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	launch.Parent.ID = "unknown"
	if _, err := awaitStart(ctx, agent.Session{Home: home}, launch); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(line1(parentID, "/w", `,"source":{"subagent":"review"},"history_base":{"thread_id":"x"},"git":{"branch":"b"}`) +
		`{"timestamp":"2026-12-01T00:00:00Z","type":"response_item","payload":{"role":"user","content":[{"text":"hi"}]}}`))
	f.Add([]byte(line1(parentID, "/w", "") + `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"text":"hi"}]}}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := glance(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		if m.ok && (!agent.IsUUID(m.id) || m.cwd == "") {
			t.Errorf("got %+v", m)
		}
		if _, err := readStory(bytes.NewReader(content), int64(len(content))); err != nil {
			t.Fatal(err)
		}
	})
}
