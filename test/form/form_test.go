//go:build unix

package form

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/editor"
	"github.com/sidefork/sidefork/test/snapshot"
)

const (
	younger = "11111111-1111-4111-8111-111111111111"
	elder   = "22222222-2222-4222-8222-222222222222"
)

type result struct {
	Status    string
	Workspace struct{ Path, Branch string }
	Session   *struct {
		Parent struct{ Agent, ID string }
	}
	Carried *struct{ Tracked, Untracked int }
	Setup   *struct{ Ran bool }
	Launch  *struct{ Argv []string }
}

func TestADialogThatIsOnlyConfirmedForksTheNewestSessionWithTheChanges(t *testing.T) {
	s := newScene(t, "")
	s.converse(elder, "The elder", 9)
	s.converse(younger, "The younger", 10)
	s.write(filepath.Join(s.top, "a"), "changed\n")
	s.write(filepath.Join(s.top, "new"), "new\n")
	s.serve()
	d := s.open(nil)
	var ids []string
	for _, f := range d.fields {
		ids = append(ids, f.ID)
	}
	if got := strings.Join(ids, " "); got != "session name child carry base staged include prompt copies where" {
		t.Errorf("the fields are %s", got)
	}
	session := d.at("session")
	if len(session.Type.Entries) != 3 || session.Type.Entries[0].Value != "claude:"+younger || session.Type.Entries[2].Value != "none" ||
		!strings.Contains(session.Type.Entries[0].Description, "The younger") || session.Default != "claude:"+younger {
		t.Errorf("the sessions are %+v", session)
	}
	if f := d.at("carry"); f.Description != "Bring uncommitted changes (1 modified, 1 new)" || f.Default != true {
		t.Errorf("the changes are %+v", f)
	}
	if f := d.at("name"); f.Default != "app-fork" || !f.Required {
		t.Errorf("the name is %+v", f)
	}
	for _, f := range d.fields {
		if advanced := f.ID == "staged" || f.ID == "include" || f.ID == "prompt" || f.ID == "copies" || f.ID == "where"; advanced != f.Type.Advanced || f.Error != "" {
			t.Errorf("%+v", f)
		}
	}
	s.untouched()

	var plan struct {
		Name     string
		Refusals []any
		Files    []any
	}
	if !d.submit("sidefork.plan", &plan) || plan.Name != "app-fork" || len(plan.Refusals) != 0 || len(plan.Files) != 2 {
		t.Errorf("the plan is %+v", plan)
	}
	s.untouched()

	var r result
	if !d.submit("sidefork.fork", &r) {
		t.Fatalf("it is not complete: %+v", d.fields)
	}
	if r.Status != "completed" || r.Workspace.Branch != "app-fork" || r.Session == nil || r.Session.Parent.ID != younger || r.Carried == nil {
		t.Fatalf("%+v", r)
	}
	for _, difference := range compare.Trees(s.top, r.Workspace.Path, compare.Options{Index: true}) {
		t.Error(difference)
	}
	s.untouched(snapshot.Branch("app-fork"), snapshot.Worktrees())
}

func TestAnotherBaseSwitchesTheChangesOffAndBackOn(t *testing.T) {
	s := newScene(t, "")
	young := exec.Command("sh", "-euc", `git update-ref refs/heads/a-young "$(git commit-tree -p HEAD~1 -m young HEAD~1^{tree})"`)
	young.Dir, young.Env = s.top, append(os.Environ(), "GIT_COMMITTER_DATE=2026-03-04T05:06:07Z")
	if out, err := young.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.write(filepath.Join(s.top, "a"), "changed\n")
	s.serve()
	d := s.open(nil)
	base := d.at("base")
	if base.Type.Kind != "lazyEnum" || base.Default != "parentCommit" || base.Required {
		t.Errorf("%+v", base)
	}
	var refs []entry
	list := func(query string) {
		t.Helper()
		params := map[string]any{"source": base.Type.Source, "config": base.Type.Config, "query": query}
		if err := s.Call("interactive/listEnum", params).Into(soon(t), &refs); err != nil {
			t.Fatal(err)
		}
	}
	list("")
	var values []string
	for _, e := range refs {
		values = append(values, e.Value)
	}
	if got := strings.Join(values, " "); !strings.HasPrefix(got, "parentCommit repositoryDefault ref:refs/heads/a-young ref:refs/") || !strings.Contains(got, "ref:refs/heads/older") || !strings.Contains(got, "ref:refs/tags/v1") {
		t.Errorf("one can start from %s", got)
	}
	list("OLD")
	if len(refs) != 1 || refs[0] != (entry{"ref:refs/heads/older", "older"}) {
		t.Errorf("older is found as %+v", refs)
	}
	list("HEAD~1")
	if len(refs) != 1 || len(refs[0].Value) != len("ref:")+40 {
		t.Errorf("a commit is found as %+v", refs)
	}

	d.choose("base", "ref:refs/heads/older")
	if f := d.at("carry"); !strings.Contains(f.Type.DisabledReason, "parent's own commit") || d.value(f) != false {
		t.Errorf("with another base: %+v", f)
	}
	if f := d.at("include"); f.Type.DisabledReason == "" {
		t.Errorf("with another base: %+v", f)
	}
	d.choose("base", "parentCommit")
	if f := d.at("carry"); f.Type.DisabledReason != "" || d.value(f) != true {
		t.Errorf("back at the parent's commit: %+v", f)
	}
	d.choose("base", "repositoryDefault") // which is where the parent is
	if f := d.at("carry"); f.Type.DisabledReason != "" || d.value(f) != true {
		t.Errorf("at the default branch: %+v", f)
	}
	d.choose("base", "ref:refs/heads/older")
	s.untouched()
	var r result
	if !d.submit("sidefork.fork", &r) || r.Status != "completed" || r.Carried != nil {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(r.Workspace.Path, "b")); err == nil {
		t.Error("it does not start at the older commit")
	}
}

// A client that asks one field after the other sends what its user said, and does not know what is disabled.
func TestWhatCannotBeTogetherIsAskedAgain(t *testing.T) {
	s := newScene(t, "")
	s.write(filepath.Join(s.top, "a"), "changed\n")
	s.serve()
	d := s.open(nil)
	for name, test := range map[string]struct {
		answers string // beside session and name
		wrong   string // the field with the error
		says    string
	}{
		"changes to another base": {`{"id":"base","value":"ref:refs/heads/older"},{"id":"carry","value":true}`, "carry", "parent's own commit"},
		"files to another base":   {`{"id":"base","value":"ref:refs/heads/older"},{"id":"include","value":["*.log"]}`, "include", "Only with"},
		"a prompt for nobody":     {`{"id":"prompt","value":"go"}`, "prompt", "needs a session"},
		"a base that is none":     {`{"id":"base","value":"ref:nosuch"}`, "base", "names no commit"},
		"a base of no kind":       {`{"id":"base","value":"elsewhere"}`, "base", "offered"},
		"a setup that is none":    {`{"id":"setup","value":"run:abc"}`, "setup", "read it again"},
		"staging of no kind":      {`{"id":"staged","value":"half"}`, "staged", "offered"},
		"a pattern of two lines":  {`{"id":"include","value":["a\nb"]}`, "include", "one line"},
		"too many copies":         {`{"id":"copies","value":17}`, "copies", "1 to 16"},
		"half a copy":             {`{"id":"copies","value":1.5}`, "copies", "wrong kind"},
		"a number for a switch":   {`{"id":"child","value":3}`, "child", "wrong kind"},
	} {
		raw := json.RawMessage(`[{"id":"session","value":"none"},{"id":"name","value":"try"},` + test.answers + `]`)
		if !d.resolve(map[string]any{"formAnswers": raw}) {
			t.Errorf("%s: it is taken", name)
			continue
		}
		for _, f := range d.fields {
			if wrong := f.ID == test.wrong; wrong != (f.Error != "") || wrong && !strings.Contains(f.Error, test.says) {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
	for answers, complete := range map[string]bool{
		`[{"id":"session","value":"none"},{"id":"name","value":"try"}]`:                                                                           true,
		`[{"id":"session","value":"none"},{"id":"name","value":"try"},{"id":"carry","value":null},{"id":"include","value":"*.log\n\n!x.log\n"}]`:  true,
		`[{"id":"session","value":"none"},{"id":"name","value":"try"},{"id":"base","value":"ref:refs/heads/older"},{"id":"carry","value":false}]`: true,
		`[{"id":"session","value":"none"},{"id":"name","value":"try"},{"id":"copies","value":3}]`:                                                 true,
		`[{"id":"session","value":"none"},{"id":"name","value":"older"},{"id":"copies","value":2}]`:                                               true,
		`[{"id":"session","value":"none"},{"id":"name","value":"x/"},{"id":"copies","value":2}]`:                                                  false,
		`[{"id":"session","value":"none"}]`:                                                                    false,
		`[{"id":"name","value":"try"}]`:                                                                        false,
		`[{"id":"session","value":"none"},{"id":"name","value":null}]`:                                         false,
		`[{"id":"session","value":"none"},{"id":"name","value":"two words"}]`:                                  false,
		`[{"id":"session","value":"none"},{"id":"name","value":"main"}]`:                                       false,
		`[{"id":"session","value":"claude:33333333-3333-4333-8333-333333333333"},{"id":"name","value":"try"}]`: false,
	} {
		if d.resolve(map[string]any{"formAnswers": json.RawMessage(answers)}) == complete {
			t.Errorf("%s: complete is not %v: %+v", answers, complete, d.fields)
		}
	}
	s.untouched()
}

func TestASessionThatVanishesBecomesNoAgentAndNeverAnother(t *testing.T) {
	s := newScene(t, "")
	s.converse(elder, "The elder", 9)
	transcript := s.converse(younger, "The younger", 10)
	s.serve()
	d := s.open(nil)
	if err := os.Remove(transcript); err != nil {
		t.Fatal(err)
	}
	for !d.resolve(map[string]any{"formAnswers": d.answers()}) { // it takes a moment to be seen; a fork would have refused it
	}
	if f := d.at("session"); f.Error == "" || !strings.Contains(f.Error, younger) || f.Default != "none" || d.value(f) != "none" {
		t.Errorf("%+v", f)
	}
	if f := d.at("session"); len(f.Type.Entries) != 2 || f.Type.Entries[0].Value != "claude:"+elder {
		t.Errorf("the other one is offered no more: %+v", f)
	}
	d.redraw()
	if f := d.at("session"); f.Error != "" || d.value(f) != "none" {
		t.Errorf("the dialog went on with %+v", f)
	}
	var r result
	if !d.submit("sidefork.fork", &r) || r.Session != nil {
		t.Errorf("%+v", r)
	}
	if d := s.open(nil); d.at("session").Default != "claude:"+elder {
		t.Errorf("a new dialog has %+v", d.at("session"))
	}
}

func TestAFormComesBeforeASlowRepositoryIsRead(t *testing.T) {
	s := newScene(t, "setup")
	s.converse(younger, "The younger", 10)
	s.write(filepath.Join(s.top, "a"), "changed\n")
	s.serve()
	gate := filepath.Join(s.home, "open")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	slow := filepath.Join(s.home, "slow", "git")
	s.write(slow, "#!/bin/sh\nuntil test -e '"+gate+"'; do sleep 0.05; done\nexec "+git+" \"$@\"\n")
	if err := os.Chmod(slow, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(slow)+":"+os.Getenv("PATH"))
	d := &dialog{scene: s, argument: map[string]any{"workspace": s.top}, user: map[string]any{}, seen: map[string]bool{}}
	d.resolve(nil)
	for _, id := range []string{"session", "name", "carry"} {
		if !d.at(id).Type.Pending {
			t.Errorf("%s is not pending: %+v", id, d.at(id))
		}
	}
	if d.at("name").Default != "app-fork" || d.at("session").Default != "none" {
		t.Errorf("what is known at once: %+v", d.fields)
	}
	s.write(gate, "")
	d.settle()
	if d.at("session").Default != "claude:"+younger || !strings.Contains(d.at("carry").Description, "1 modified") || d.at("setup").Type.Setup == nil {
		t.Errorf("what came later: %+v", d.fields)
	}
	// Whatever goes away meanwhile, its field does not.
	s.write(filepath.Join(s.top, "a"), "a\n")
	for d.at("carry").Type.DisabledReason == "" {
		d.resolve(map[string]any{"formAnswers": json.RawMessage(`[{"id":"session","value":"none"}]`)})
	}
	if f := d.at("carry"); f.Type.DisabledReason != "There are no uncommitted changes." || f.Default != false {
		t.Errorf("%+v", f)
	}
}

func TestASetupIsThatOfThePlaceWhereTheChildStarts(t *testing.T) {
	s := newScene(t, "setup")
	s.serve()
	d := s.open(nil)
	f := d.at("setup")
	if f.Default != "skip" || len(f.Type.Entries) != 2 || f.Type.Setup == nil || !strings.Contains(f.Description, "touch ran") {
		t.Fatalf("%+v", f)
	}
	run := f.Type.Entries[1].Value
	d.choose("setup", run)
	d.choose("base", "ref:refs/heads/older") // which has none
	if f := d.at("setup"); f.Type.DisabledReason == "" || d.value(f) != "skip" {
		t.Errorf("%+v", f)
	}
	d.choose("base", "parentCommit")
	if f := d.at("setup"); d.value(f) != run {
		t.Errorf("%+v", f)
	}
	s.untouched()
	var r result
	if !d.submit("sidefork.fork", &r) || r.Setup == nil || !r.Setup.Ran {
		t.Errorf("%+v", r)
	}
	// It was for once: trust comes by sidefork.trust alone.
	f = s.open(nil).at("setup")
	if f.Default != "skip" {
		t.Errorf("%+v", f)
	}
	if err := s.Execute("sidefork.trust", map[string]any{"workspace": s.top, "hash": f.Type.Setup.Hash}, nil).Into(soon(t), new(any)); err != nil {
		t.Fatal(err)
	}
	if f := s.open(nil).at("setup"); f.Default != run || f.Type.Setup.Difference != "" {
		t.Errorf("%+v", f)
	}
	s.write(filepath.Join(s.top, ".sidefork.json"), `{"setup":["touch other"]}`)
	f = s.open(nil).at("setup")
	if f.Default != "skip" || !strings.Contains(f.Description, "has changed since") || !strings.Contains(f.Type.Setup.Difference, "\n+{\"setup\":[\"touch other\"]}") {
		t.Errorf("%+v", f)
	}
}

// Every word of a form may be shown as it is, whatever a repository or a conversation is called.
func TestWhatIsHostileIsOnlyWords(t *testing.T) {
	s := newScene(t, "setup")
	evil := filepath.Join(filepath.Dir(s.top), "ev\x1b[2Jil\u202e\n")
	if err := os.Rename(s.top, evil); err != nil {
		t.Fatal(err)
	}
	s.top = evil
	s.converse(younger, "\x1b]0;title\x07\u202eevil\r\n", 10)
	s.write(filepath.Join(s.top, "new\x1b[31m"), "")
	if err := os.MkdirAll(filepath.Join(s.top, ".git", "refs", "heads", "x\u202ey"), 0o755); err != nil {
		t.Fatal(err)
	}
	head, err := os.ReadFile(filepath.Join(s.top, ".git", "refs", "heads", "older"))
	if err != nil {
		t.Fatal(err)
	}
	s.write(filepath.Join(s.top, ".git", "refs", "heads", "x\u202ey", "z"), string(head))
	s.write(filepath.Join(s.top, ".sidefork.json"), `{"setup":["echo \u001b[2K \u202e"],"agents":{"claude":{"args":["--dangerously-skip-permissions"]}}}`)
	s.serve()
	d := s.open(nil)
	look := func(what string, v any) {
		t.Helper()
		raw, _ := json.Marshal(v)
		var text any
		_ = json.Unmarshal(raw, &text)
		walk(text, func(word string) {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }) {
				t.Errorf("%s: %q", what, word)
			}
		})
	}
	for _, f := range d.fields {
		f.Type.Config = nil // comes back as it was asked for
		look(f.ID, f)
	}
	if f := d.at("setup"); f.Type.DisabledReason == "" || len(f.Type.Entries) != 1 {
		t.Errorf("a setup that cannot be shown can be run: %+v", f)
	}
	var refs []entry
	if err := s.Call("interactive/listEnum", map[string]any{"source": d.at("base").Type.Source, "config": d.at("base").Type.Config, "query": "xy/z"}).Into(soon(t), &refs); err != nil {
		t.Fatal(err)
	}
	look("refs", refs)
	if len(refs) != 1 || len(refs[0].Value) != len("ref:")+40 {
		t.Fatalf("%+v", refs)
	}
	d.choose("base", refs[0].Value)
	look("refused name", d.fields[1].Error)
	s.untouched()
	var r result
	d.choose("name", "harmless")
	if !d.submit("sidefork.fork", &r) || r.Status != "completed" || r.Launch == nil || strings.Contains(strings.Join(r.Launch.Argv, " "), "skip-permissions") {
		t.Errorf("%+v %+v", r, d.fields)
	}
}

// walk gives every text in what was read from JSON, names too.
func walk(v any, see func(string)) {
	switch v := v.(type) {
	case string:
		see(v)
	case []any:
		for _, one := range v {
			walk(one, see)
		}
	case map[string]any:
		for name, one := range v {
			see(name)
			walk(one, see)
		}
	}
}

func TestADialogSaysWhatIsSharedWhereNoWorktreeIsMade(t *testing.T) {
	s := newScene(t, "")
	s.converse(younger, "The younger", 10)
	s.write(filepath.Join(s.top, "a"), "changed\n")
	other := filepath.Join(filepath.Dir(s.top), "other")
	if out, err := exec.Command("git", "-C", s.top, "worktree", "add", "-q", "-b", "by-hand", other).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.serve()
	d := s.open(nil)
	where := d.at("where")
	if len(where.Type.Entries) != 3 || where.Type.Entries[0].Value != "new" || !strings.Contains(where.Type.Entries[0].Description, "app-worktrees/app-fork") ||
		where.Type.Entries[1].Value != "same" || !strings.Contains(where.Type.Entries[1].Description, "share its files, index and branch") ||
		where.Type.Entries[2].Value != "existing:"+other || !strings.Contains(where.Type.Entries[2].Description, "by-hand") {
		t.Errorf("%+v", where)
	}
	d.choose("child", true)
	d.choose("where", "same")
	for id, value := range map[string]any{"name": "", "child": false, "carry": false, "base": "parentCommit"} {
		if f := d.at(id); f.Type.DisabledReason == "" || d.value(f) != value || f.Error != "" {
			t.Errorf("in the same folder: %+v", f)
		}
	}
	d.choose("session", "none")
	if f := d.at("where"); !strings.Contains(f.Error, "choose a session") {
		t.Errorf("%+v", f)
	}
	d.choose("session", "claude:"+younger)
	var r result
	if !d.submit("sidefork.fork", &r) || r.Workspace.Path != s.top || r.Session == nil || r.Carried != nil {
		t.Errorf("%+v, %+v", r, d.fields)
	}
	s.untouched(snapshot.Worktrees())

	d.choose("where", "existing:"+other)
	if f := d.at("carry"); d.value(f) != true {
		t.Errorf("%+v", f)
	}
	if !d.submit("sidefork.fork", &r) || r.Workspace.Path != other || r.Carried == nil || r.Carried.Tracked != 1 {
		t.Errorf("%+v, %+v", r, d.fields)
	}
	d.redraw()
	if f := d.at("where"); !strings.Contains(f.Error, "changes of its own") {
		t.Errorf("into one that is not clean: %+v", f)
	}
	d.choose("where", "new")
	if f := d.at("child"); f.Type.DisabledReason != "" || d.value(f) != true {
		t.Errorf("back in a new worktree: %+v", f)
	}
	for _, value := range []string{"existing:/", "existing:", "elsewhere"} {
		d.resolve(map[string]any{"formAnswers": []any{map[string]any{"id": "where", "value": value}, map[string]any{"id": "session", "value": "none"}, map[string]any{"id": "name", "value": "x"}}})
		if f := d.at("where"); !strings.Contains(f.Error, "offered") {
			t.Errorf("%s: %+v", value, f)
		}
	}
}

func TestAFormIsRefusedAsLongAsTheWorkspaceIs(t *testing.T) {
	s := newScene(t, "")
	s.serve()
	merging := filepath.Join(s.top, ".git", "MERGE_HEAD")
	s.write(merging, "")
	refusedAs := func(workspace string) (failure editor.Failure) {
		t.Helper()
		params := map[string]any{"command": "sidefork.plan", "arguments": []any{map[string]any{"workspace": workspace}}}
		for { // a form may come before that is known
			_, err := s.Call("command/resolve", params).Wait(soon(t))
			if failed, refused := errors.AsType[*editor.Error](err); refused {
				return failed.Failure()
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	if f := refusedAs(s.top); f.Reason.Code != "operationInProgress" || f.Effect != "nothing" {
		t.Errorf("%+v", f)
	}
	if f := refusedAs(filepath.Join(s.top, "nowhere")); f.Reason.Code != "missing" {
		t.Errorf("%+v", f)
	}
	if err := os.Remove(merging); err != nil {
		t.Fatal(err)
	}
	s.open(nil)
}
