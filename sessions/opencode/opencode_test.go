package opencode

import (
	"bytes"
	"encoding/json"
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
	fixtures = "../../test/fixtures/opencode"
	widget   = "/srv/projects/acme-widget/"
	parentID = "ses_dd481569dffeCkQhruPNvIxrTZ"
)

// newHome makes an account folder of the fixture.
func newHome(t *testing.T) (home string, all agent.Homes) {
	t.Helper()
	home = filepath.Join(t.TempDir(), "opencode")
	data, err := os.ReadFile(filepath.Join(fixtures, "opencode.db"))
	if err == nil {
		err = os.MkdirAll(home, 0o700)
	}
	if err == nil {
		err = os.WriteFile(database(home), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return home, agent.Homes{Default: home}
}

func found(t *testing.T, all agent.Homes, id string) agent.Session {
	t.Helper()
	sessions, problems := find(t.Context(), all, id)
	if len(sessions) != 1 || len(problems) != 0 {
		t.Fatalf("%+v, %v", sessions, problems)
	}
	return sessions[0]
}

func TestListTellsEveryFixture(t *testing.T) {
	home, all := newHome(t)
	sessions, problems := list(t.Context(), nil, all, nil)
	if len(sessions) != 8 || len(problems) != 0 {
		t.Errorf("%d sessions, problems %v", len(sessions), problems)
	}
	s := found(t, all, parentID)
	if s.Title != "reply-25 ok" || s.FirstPrompt != "opencode codeword GIBBON-77; remember" || s.Cwd != widget+"repo" ||
		s.NotForkable != nil || s.Home != home || !s.DefaultHome || s.Source != database(home) || s.State == agent.Live {
		t.Errorf("%+v", s)
	}
	if !s.LastActivity.Equal(time.UnixMilli(1796026055631)) || !s.StartedAt.Equal(time.UnixMilli(1796026050914)) {
		t.Errorf("from %s to %s", s.StartedAt, s.LastActivity)
	}
	for top, want := range map[string]int{widget + "repo": 5, widget + "wt-2": 2, widget + "wt-3": 1, "/srv": 8, widget + "wt": 0} {
		if in, problems := list(t.Context(), nil, all, []string{top}); len(in) != want || len(problems) != 0 {
			t.Errorf("%s: %d sessions, %v", top, len(in), problems)
		}
	}
}

// changed rewrites text of the fixture's database by another of equal length.
func changed(t *testing.T, home, old, fresh string) {
	t.Helper()
	data, err := os.ReadFile(database(home))
	if err != nil || len(old) != len(fresh) || !bytes.Contains(data, []byte(old)) {
		t.Fatalf("no %q to change (%v)", old, err)
	}
	if err := os.WriteFile(database(home), bytes.ReplaceAll(data, []byte(old), []byte(fresh)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedDatabaseIsAProblemAndNeverFatal(t *testing.T) {
	good, _ := newHome(t)
	cut, _ := newHome(t)
	if err := os.Truncate(database(cut), 30000); err != nil {
		t.Fatal(err)
	}
	empty, _ := newHome(t)
	if err := os.Truncate(database(empty), 0); err != nil {
		t.Fatal(err)
	}
	text, _ := newHome(t)
	if err := os.WriteFile(database(text), []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	other, _ := newHome(t)
	changed(t, other, "CREATE TABLE `session`", "CREATE TABLE `xession`")
	changed(t, other, "sessionsession", "xessionxession")
	folder, _ := newHome(t)
	if err := os.Remove(database(folder)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(database(folder), 0o700); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "opencode")
	sessions, problems := list(t.Context(), nil, agent.Homes{Default: cut, Others: []string{empty, text, other, folder, none, good}}, nil)
	if len(sessions) < 8 {
		t.Errorf("%d sessions", len(sessions))
	}
	var sources []string
	for _, p := range problems {
		sources = append(sources, filepath.Dir(p.Source))
	}
	if want := []string{cut, empty, text, other, folder}; !slices.Equal(sources, want) {
		t.Errorf("problems %v", problems)
	}
}

func TestExportIsWhatOpencodeExports(t *testing.T) {
	_, all := newHome(t)
	s := found(t, all, parentID)
	c, err := export(t.Context(), s.Source, parentID)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(filepath.Join(fixtures, "export-normal.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	for data, into := range map[*[]byte]*map[string]any{&text: &got, &own: &want} {
		if err := json.Unmarshal(*data, into); err != nil {
			t.Fatal(err)
		}
	}
	time := func(m map[string]any) map[string]any { return m["info"].(map[string]any)["time"].(map[string]any) }
	if time(got)["updated"].(float64) <= time(want)["updated"].(float64) {
		t.Error("it was not just updated")
	}
	delete(time(got), "updated")
	delete(time(want), "updated")
	a, _ := json.MarshalIndent(got, "", " ")
	b, _ := json.MarshalIndent(want, "", " ")
	if !bytes.Equal(a, b) {
		t.Errorf("got %s\nwant %s", a, b)
	}
}

func TestAForkHasNewIdsThroughoutInTheSameOrder(t *testing.T) {
	_, all := newHome(t)
	sessions, _ := list(t.Context(), nil, all, nil)
	for _, s := range sessions {
		c, err := export(t.Context(), s.Source, s.ID.ID)
		if err != nil {
			t.Fatal(err)
		}
		before, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		after, id, err := c.renewed()
		if err != nil || !validID(id) || id == s.ID.ID {
			t.Fatalf("%s, %v", id, err)
		}
		old, fresh := anID.FindAllString(string(before), -1), anID.FindAllString(string(after), -1)
		if len(old) != len(fresh) || len(old) < 5 {
			t.Fatalf("%d ids, %d", len(old), len(fresh))
		}
		same := map[string]string{}
		for i := range old {
			if old[i] == fresh[i] || old[i][:17] != fresh[i][:17] || same[old[i]] != "" && same[old[i]] != fresh[i] {
				t.Errorf("%s became %s", old[i], fresh[i])
			}
			same[old[i]] = fresh[i]
		}
		for a := range same {
			for b := range same {
				if a < b != (same[a] < same[b]) {
					t.Errorf("%s and %s have changed places", a, b)
				}
			}
		}
		if !json.Valid(after) {
			t.Error("it is no JSON")
		}
	}
}

func TestIdsOfOthersAndIdsInATextStay(t *testing.T) {
	mine, other := "msg_22b7ea9ce001oyuFOGkD9XB8Aj", "ses_dd47fa59fffe38hQzC0ANw5ApN"
	quoted, err := json.Marshal(`see "` + mine + `" and ` + mine)
	if err != nil {
		t.Fatal(err)
	}
	c := conversation{Info: map[string]any{"id": parentID}, Messages: []message{{
		id: mine, Info: json.RawMessage(`{"id":"` + mine + `","text":` + string(quoted) + `,"child":"` + other + `"}`),
	}}}
	text, _, err := c.renewed()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); !strings.Contains(got, string(quoted)) || !strings.Contains(got, other) || strings.Contains(got, `"id":"`+mine) {
		t.Error(got)
	}
}

func TestForkImportsAndPinsTheHome(t *testing.T) {
	_, all := newHome(t)
	s := found(t, all, parentID)
	l, err := fork(agent.ForkRequest{Parent: s, Child: "/child", Name: "try it", Program: "/bin/opencode", Arguments: []string{"--agent", "plan"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"/bin/opencode", "--agent", "plan", "--session", l.Session.ID}; !slices.Equal(l.Argv, want) || l.Cwd != "/child" {
		t.Errorf("%q in %s", l.Argv, l.Cwd)
	}
	if want := []string{"/bin/opencode", "import", "--pure"}; !slices.Equal(l.Import.Argv, want) {
		t.Errorf("%q", l.Import.Argv)
	}
	var told struct{ Info struct{ ID, Title string } }
	if err := json.Unmarshal(l.Import.Content, &told); err != nil || told.Info.ID != l.Session.ID || told.Info.Title != "try it" {
		t.Errorf("%+v, %v", told, err)
	}
	for _, env := range []map[string]*string{l.Env, l.Import.Env} {
		for _, variable := range []string{homeVar, fileVar} {
			if value, named := env[variable]; !named || value != nil {
				t.Errorf("%s is %v, %v", variable, value, named)
			}
		}
	}
	if l.Env["OPENCODE_DISABLE_PROJECT_CONFIG"] != nil || l.Import.Env["OPENCODE_DISABLE_PROJECT_CONFIG"] == nil {
		t.Error("only the import has to leave the repository's configuration alone")
	}
	_, err = fork(agent.ForkRequest{Parent: s, Child: "/child", Program: "/bin/opencode", Prompt: "go on"})
	if no, ok := errors.AsType[*agent.Refusal](err); !ok || no.Code != "promptNotTaken" {
		t.Errorf("a prompt, which would be lost: %v", err)
	}
	s.DefaultHome = false
	if env := pin(s); env[homeVar] == nil || *env[homeVar] != filepath.Dir(s.Home) || env[fileVar] != nil {
		t.Errorf("%v", env)
	}
	s.Home, s.Source = "/elsewhere", "/elsewhere/opencode.db"
	if env := pin(s); env[fileVar] == nil || *env[fileVar] != s.Source {
		t.Errorf("%v", env)
	} else if _, named := env[homeVar]; named {
		t.Errorf("%v", env)
	}
}

func TestOnlyAWholeSessionInItsFolderIsStored(t *testing.T) {
	_, all := newHome(t)
	s := found(t, all, parentID)
	for _, test := range []struct {
		id, folder string
		messages   int
		want       bool
	}{
		{parentID, widget + "repo", 2, true},
		{parentID, widget + "wt-2", 2, false},
		{parentID, widget + "repo", 3, false},
		{strings.Replace(parentID, "dd", "ee", 1), widget + "repo", 0, false},
	} {
		if err := stored(t.Context(), s.Source, test.id, test.folder, test.messages); (err == nil) != test.want {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestASessionThatIsGoneCannotBeForked(t *testing.T) {
	home, all := newHome(t)
	s := found(t, all, parentID)
	if err := os.Remove(database(home)); err != nil {
		t.Fatal(err)
	}
	_, err := fork(agent.ForkRequest{Parent: s, Child: "/child", Program: "/bin/opencode"})
	if no, ok := errors.AsType[*agent.Refusal](err); !ok || no.Code != "sessionBroken" {
		t.Errorf("%v", err)
	}
}

func TestHomesFollowTheEnvironment(t *testing.T) {
	user := t.TempDir()
	data := filepath.Join(user, "data")
	file := filepath.Join(user, "own", "opencode.db")
	values := map[string]string{"HOME": user, "USERPROFILE": user, homeVar: data, fileVar: file}
	got := homes(func(name string) string { return values[name] }, nil)
	if got.Default != filepath.Join(user, ".local", "share", "opencode") || !slices.Equal(got.Others, []string{filepath.Join(data, "opencode"), filepath.Dir(file)}) {
		t.Errorf("%+v", got)
	}
}

func TestReadingAConversationLeavesNoTrace(t *testing.T) {
	home, all := newHome(t)
	before, err := os.ReadFile(database(home))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fork(agent.ForkRequest{Parent: found(t, all, parentID), Child: "/child", Program: "/bin/opencode"}); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(database(home))
	entries, _ := os.ReadDir(home)
	if err != nil || !bytes.Equal(before, after) || len(entries) != 1 {
		t.Errorf("the database was changed, or has company: %v", entries)
	}
}

func TestIdsOfOneMomentKeepTheirOrder(t *testing.T) {
	ids := map[string]string{"": ""} // no id has its shape, so it gets none
	for i := range 50 {
		ids["prt_22b7ea9db001"+strings.Repeat("x", 13)+letters[i:i+1]] = ""
	}
	renew(ids)
	for a := range ids {
		for b := range ids {
			if a != "" && b != "" && a < b != (ids[a] < ids[b]) {
				t.Fatalf("%s and %s have changed places", a, b)
			}
		}
	}
	if ids[""] != "" {
		t.Errorf("%q", ids[""])
	}
}
