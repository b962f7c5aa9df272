package pi

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

const (
	fixtures = "../../test/fixtures/pi"
	widget   = "/srv/projects/acme-widget/"
	parentID = "01a22b8b-217e-7599-9d90-d1269308fe07"
	stamp    = "2026-11-30T08-21-08-094Z_"
)

// newHome makes an account folder of the fixtures.
func newHome(t *testing.T) (home string, homes agent.Homes) {
	t.Helper()
	home = filepath.Join(t.TempDir(), ".pi", "agent")
	if err := os.CopyFS(filepath.Join(home, "sessions"), os.DirFS(filepath.Join(fixtures, "sessions"))); err != nil {
		t.Fatal(err)
	}
	return home, agent.Homes{Default: home}
}

func put(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func fixture(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func one(t *testing.T, sessions []agent.Session, id string) agent.Session {
	t.Helper()
	i := slices.IndexFunc(sessions, func(s agent.Session) bool { return s.ID.ID == id })
	if i < 0 {
		t.Fatalf("%s is not in %v", id, sessions)
	}
	return sessions[i]
}

func TestListTellsEveryFixture(t *testing.T) {
	home, homes := newHome(t)
	sessions, problems := list(t.Context(), nil, homes, nil)
	if len(sessions) != 4 || len(problems) != 0 {
		t.Errorf("%d sessions, problems %v", len(sessions), problems)
	}
	for _, test := range []struct{ id, cwd, last, parent string }{
		{parentID, "repo", "2026-11-30T08:21:08.294Z", ""},
		{"01a22b8b-2bed-7ff9-9ac1-628f934305c2", "wt-2", "2026-11-30T08:21:10.957Z", parentID},
		{"01a22b8b-3ec5-76f3-8e4e-aa6fb0fe699b", "wt-3", "2026-11-30T08:21:16.009Z", parentID},
		{"01a22b8b-5651-773c-aa2c-ded1607f5af7", "wt-3", "2026-11-30T08:21:21.854Z", ""},
	} {
		s := one(t, sessions, test.id)
		var parent string
		if s.Parent != nil {
			parent = s.Parent.ID
		}
		if s.Cwd != widget+test.cwd || s.FirstPrompt != "pi codeword TAPIR-88; remember" || parent != test.parent || s.NotForkable != nil {
			t.Errorf("%+v", s)
		}
		if got := s.LastActivity.Format("2006-01-02T15:04:05.000Z"); got != test.last {
			t.Errorf("%s: last activity %s", test.id, got)
		}
		if s.Home != home || !s.DefaultHome || s.State == agent.Live {
			t.Errorf("%+v", s)
		}
	}
}

func TestListOfAFolderGoesByLine1(t *testing.T) {
	home, homes := newHome(t)
	for i, cwd := range []string{"/w/a-b", "/w/a/b", "/w/a"} { // the first two share a folder
		id := strings.Replace(parentID, "217e", "217"+string(rune('1'+i)), 1)
		text := strings.Replace(fixture(t, "sessions/--srv-projects-acme-widget-repo--/"+stamp+parentID+".jsonl"), widget+"repo", cwd, 1)
		put(t, filepath.Join(home, "sessions", folderName(cwd), stamp+id+".jsonl"), strings.Replace(text, parentID, id, 1))
	}
	for top, want := range map[string]int{"/w/a-b": 1, "/w/a/b": 1, "/w/a": 2, "/w": 3, "/": 7, "/x": 0, widget + "wt-3": 2} {
		if sessions, problems := list(t.Context(), nil, homes, []string{top}); len(sessions) != want || len(problems) != 0 {
			t.Errorf("%s: %d sessions, %v", top, len(sessions), problems)
		}
	}
}

func TestADamagedFileIsAProblemAndHidesNoOther(t *testing.T) {
	home, homes := newHome(t)
	folder := filepath.Join(home, "sessions", folderName(widget+"repo"))
	id := func(n string) string { return strings.Replace(parentID, "217e", "217"+n, 1) }
	bad := put(t, filepath.Join(folder, stamp+id("1")+".jsonl"), fixture(t, "corrupt-pi.jsonl"))
	empty := put(t, filepath.Join(folder, stamp+id("2")+".jsonl"), "")
	put(t, filepath.Join(folder, stamp+id("3")+".jsonl"), strings.Replace(fixture(t, "trunc-pi.jsonl"), parentID, id("3"), 1))
	put(t, filepath.Join(folder, stamp+id("4")+".jsonl"), `{"type":"session","version":3,"id":"`+id("4")+`","timestamp":"2026-11-30T08:21:08.094Z","cwd":"`+widget+`repo"}`+"\n")
	if err := os.Mkdir(filepath.Join(folder, stamp+id("5")+".jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, "notes.jsonl"), "{}")
	sessions, problems := list(t.Context(), nil, homes, []string{widget + "repo"})
	if len(sessions) != 3 {
		t.Errorf("%d sessions: %+v", len(sessions), sessions)
	}
	if s := one(t, sessions, id("3")); s.NotForkable != nil || s.FirstPrompt == "" {
		t.Errorf("the one whose last line is cut: %+v", s)
	}
	if s := one(t, sessions, id("4")); s.NotForkable == nil || s.NotForkable.Code != "sessionEmpty" {
		t.Errorf("the one without a message: %+v", s)
	}
	var sources []string
	for _, p := range problems {
		sources = append(sources, p.Source)
	}
	slices.Sort(sources)
	if !slices.Equal(sources, []string{bad, empty}) {
		t.Errorf("problems %v", problems)
	}
	found, _ := find(t.Context(), homes, id("1"))
	if len(found) != 1 || found[0].NotForkable == nil || found[0].NotForkable.Code != "sessionBroken" {
		t.Errorf("found %+v", found)
	}
}

func TestTheLastTitleCountsAndAnEmptyOneTakesItAway(t *testing.T) {
	home, homes := newHome(t)
	path := filepath.Join(home, "sessions", folderName(widget+"repo"), stamp+parentID+".jsonl")
	text := fixture(t, "sessions/--srv-projects-acme-widget-repo--/"+stamp+parentID+".jsonl")
	for _, test := range []struct{ names, want string }{{"first second", "second"}, {"first -", ""}} {
		more := ""
		for name := range strings.FieldsSeq(test.names) {
			more += `{"type":"session_info","id":"1","parentId":null,"timestamp":"2026-11-30T08:21:09.000Z","name":"` + strings.Trim(name, "-") + `"}` + "\n"
		}
		put(t, path, text+more)
		sessions, _ := find(t.Context(), homes, parentID)
		if len(sessions) != 1 || sessions[0].Title != test.want {
			t.Errorf("%s: %+v", test.names, sessions)
		}
	}
}

// env gives an environment of pairs.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestSessionsInAFolderOfTheUsersAreFoundAndForkedThere(t *testing.T) {
	user := t.TempDir()
	text := fixture(t, "sessions/--srv-projects-acme-widget-repo--/"+stamp+parentID+".jsonl")
	flat := filepath.Join(user, "flat")
	put(t, filepath.Join(flat, stamp+parentID+".jsonl"), text)
	account := filepath.Join(user, "account")
	put(t, filepath.Join(account, "settings.json"), `{"sessionDir":"`+filepath.ToSlash(filepath.Join(user, "chosen"))+`"}`)
	put(t, filepath.Join(user, "chosen", stamp+strings.Replace(parentID, "217e", "2171", 1)+".jsonl"),
		strings.Replace(text, parentID, strings.Replace(parentID, "217e", "2171", 1), 1))
	all := homes(env("HOME", user, "USERPROFILE", user, homeVar, account, sessionsVar, flat), nil)
	sessions, problems := list(t.Context(), nil, all, []string{widget + "repo"})
	if len(sessions) != 2 || len(problems) != 0 {
		t.Fatalf("%+v, %v", sessions, problems)
	}
	for _, s := range sessions {
		l, err := fork(agent.ForkRequest{Parent: s, Child: "/child", Program: "/bin/pi"})
		if err != nil {
			t.Fatal(err)
		}
		kept := l.Env[sessionsVar]
		if kept == nil || *kept != filepath.Dir(s.Source) {
			t.Errorf("%s: the fork is stored in %v", s.Source, kept)
		}
		home, pinned := l.Env[homeVar]
		if s.Home == account && (home == nil || *home != account) || s.Home == flat && pinned {
			t.Errorf("%s: the account is %v", s.Source, home)
		}
	}
}

func TestForkNamesTheParentsFileAndPinsTheHome(t *testing.T) {
	home, all := newHome(t)
	found, _ := find(t.Context(), all, parentID)
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	for prompt, want := range map[string]string{"": "", "go on": "go on", "-x": " -x", "@file": " @file", "update": "update"} {
		l, err := fork(agent.ForkRequest{
			Parent: found[0], Child: "/child", Program: "/bin/pi", Prompt: prompt, Name: "n", Arguments: []string{"--model", "m"},
		})
		argv := []string{"/bin/pi", "--model", "m", "--fork", found[0].Source}
		if want != "" {
			argv = append(argv, want)
		}
		if err != nil || !slices.Equal(l.Argv, argv) || l.Cwd != "/child" || l.Session.ID != "" || l.Parent.ID != parentID || l.Import != nil {
			t.Errorf("%q: %+v, %v", prompt, l, err)
		}
		for _, variable := range []string{homeVar, sessionsVar} {
			if value, named := l.Env[variable]; !named || value != nil {
				t.Errorf("%s is %v, %v", variable, value, named)
			}
		}
	}
	found[0].DefaultHome = false
	if l, _ := fork(agent.ForkRequest{Parent: found[0], Child: "/child", Program: "/bin/pi"}); l.Env[homeVar] == nil || *l.Env[homeVar] != home {
		t.Errorf("%+v", l.Env)
	}
}

func TestAwaitStartSeesTheForkAndNoOther(t *testing.T) {
	home, all := newHome(t)
	found, _ := find(t.Context(), all, parentID)
	l := agent.Launch{Cwd: widget + "child", Parent: found[0].ID, Prepared: time.Now(), Env: map[string]*string{sessionsVar: nil}}
	folder := filepath.Join(home, "sessions", folderName(l.Cwd))
	header := func(id, cwd, parent string, at time.Time) {
		put(t, filepath.Join(folder, at.UTC().Format("2006-01-02T15-04-05-000Z")+"_"+id+".jsonl"),
			`{"type":"session","version":3,"id":"`+id+`","timestamp":"`+at.UTC().Format(time.RFC3339Nano)+`","cwd":"`+cwd+`","parentSession":"`+parent+`"}`+"\n")
	}
	id := func(n string) string { return strings.Replace(parentID, "217e", "217"+n, 1) }
	header(id("1"), l.Cwd, found[0].Source, l.Prepared.Add(-time.Hour)) // an earlier fork
	header(id("2"), l.Cwd, "/other.jsonl", l.Prepared.Add(time.Second)) // of another session
	header(id("3"), "/other", found[0].Source, l.Prepared.Add(time.Second))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if got, err := awaitStart(ctx, found[0], l); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", got, err)
	}
	header(id("4"), l.Cwd, found[0].Source, l.Prepared.Add(time.Second))
	if got, err := awaitStart(t.Context(), found[0], l); err != nil || got.Session.ID != id("4") {
		t.Errorf("%+v, %v", got, err)
	}
}
