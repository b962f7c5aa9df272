package claude

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
)

const fixtures = "../../test/fixtures/claude"

var recordedID = regexp.MustCompile(`"sessionId":"([0-9a-f-]{36})"`)

// newHome makes an account folder, and its user's home around it.
func newHome(t *testing.T) (home string, homes agent.Homes) {
	t.Helper()
	home = filepath.Join(t.TempDir(), ".claude")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	return home, agent.Homes{Default: home}
}

// put stores a transcript where Claude Code would and gives its path.
func put(t testing.TB, home, cwd, id string, content []byte) string {
	t.Helper()
	path := filepath.Join(projects(home), folderName(cwd), id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// putFixture stores a fixture under the id and the folder that it names.
func putFixture(t *testing.T, home, file, cwd string) (id string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(fixtures, file))
	if err != nil {
		t.Fatal(err)
	}
	id = "00000000-0000-4000-8000-000000000000"
	if found := recordedID.FindSubmatch(content); found != nil {
		id = string(found[1])
	}
	put(t, home, cwd, id, content)
	return id
}

func TestListTellsEveryFixture(t *testing.T) {
	const main, wt2 = "/home/dev/src/main", "/home/dev/src/wt2"
	tests := []struct {
		file, cwd, branch, title, prompt, last, parent, code string
		id                                                   string
	}{
		{file: "print-three-turns.jsonl", id: "9c322651-a113-47aa-817a-43cef594a8f5", cwd: main, branch: "main", prompt: "turn one CODEWORD-ONE", last: "2026-11-30T08:21:31.057Z"},
		{file: "interactive-ai-title.jsonl", cwd: main, branch: "main", title: "Fake title from the test server", prompt: "please refactor the CODEWORD-AIT parser"},
		{file: "forked-by-flag.jsonl", cwd: wt2, branch: "wt2", title: "Fake title from the test server", prompt: "please refactor the CODEWORD-AIT parser", parent: "868e93ae-"},
		{file: "branched-in-session.jsonl", cwd: main, branch: "main", title: "first CODEWORD-BR (Branch)", prompt: "first CODEWORD-BR", parent: "e9ff7c00-5eb5-4"},
		{file: "renamed-custom-title.jsonl", cwd: wt2, branch: "wt2", title: "Renamed here", parent: "56f1eb40-"},
		{file: "compacted.jsonl", cwd: main, branch: "main", prompt: "one CODEWORD-CMP"},
		{file: "cwd-drift.jsonl", cwd: main, branch: "main", prompt: "one RUN[cd sub && pwd]"},
		{file: "clear-only.jsonl", cwd: wt2, branch: "wt2"},
		{file: "tool-use.jsonl", prompt: "first CODEWORD-CCC"},
		{file: "tool-use-pending.jsonl", prompt: "first CODEWORD-CCC", last: "T08:08:32.045Z"},
		{file: "long-last-snapshot.jsonl", cwd: main, prompt: "turn one CODEWORD-ONE", last: "2026-11-30T08:21:31.057Z"},
		{file: "old-2.1.197-print.jsonl", cwd: "/home/dev/src/old/f197/main", prompt: "please remember CODEWORD-MAIN"},
		{file: "broken-last-line-cut.jsonl", id: "9c322651-a113-47aa-817a-43cef594a8f5", cwd: main, branch: "main", prompt: "turn one CODEWORD-ONE", last: "2026-11-30T08:21:31.057Z"},
		{file: "broken-garbage-in-middle.jsonl", cwd: main, branch: "main", prompt: "turn one CODEWORD-ONE", last: "2026-11-30T08:21:31.057Z"},
		{file: "broken-no-messages.jsonl", code: "sessionEmpty"},
		{file: "broken-empty.jsonl", code: "sessionEmpty"},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			home, homes := newHome(t)
			id := putFixture(t, home, test.file, cmpOr(test.cwd, main))
			sessions, problems := list(t.Context(), nil, homes, nil)
			if len(sessions) != 1 || len(problems) != 0 {
				t.Fatalf("got %d sessions, problems %v", len(sessions), problems)
			}
			s := sessions[0]
			if test.id != "" && test.id != id || s.ID != (agent.ID{Agent: "claude", ID: id}) {
				t.Errorf("id %v, want %s", s.ID, id)
			}
			same(t, "cwd", s.Cwd, test.cwd)
			same(t, "branch", s.Branch, test.branch)
			same(t, "prompt", s.FirstPrompt, test.prompt)
			if test.title != "" || strings.HasPrefix(test.file, "print") {
				same(t, "title", s.Title, test.title)
			}
			if last := s.LastActivity.UTC().Format(time.RFC3339Nano); !strings.HasSuffix(last, test.last) {
				t.Errorf("last activity %s, want %s", last, test.last)
			}
			var parent, code string
			if s.Parent != nil {
				parent = s.Parent.ID
			}
			if s.NotForkable != nil {
				code = s.NotForkable.Code
			}
			if !strings.HasPrefix(parent, test.parent) || test.parent == "" && parent != "" || code != test.code {
				t.Errorf("parent %q, want %q; reason %q, want %q", parent, test.parent, code, test.code)
			}
			if s.Home != home || !s.DefaultHome || s.State != agent.Ended {
				t.Errorf("home %s default %v state %s", s.Home, s.DefaultHome, s.State)
			}
		})
	}
}

func cmpOr(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// same compares where something is wanted.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if want != "" && got != want {
		t.Errorf("%s %q, want %q", what, got, want)
	}
}

func TestListPassesPromptsThatThePersonDidNotWrite(t *testing.T) {
	home, homes := newHome(t)
	putFixture(t, home, "clear-only.jsonl", "/home/dev/src/wt2")
	putFixture(t, home, "print-three-turns.jsonl", "/home/dev/src/main")
	sessions, _ := list(t.Context(), nil, homes, []string{"/home/dev/src/wt2"})
	if len(sessions) != 1 || sessions[0].FirstPrompt != "" || sessions[0].Title != "" || sessions[0].NotForkable != nil {
		t.Errorf("got %+v", sessions)
	}
}

func TestListShowsASessionWithSubagentsOnce(t *testing.T) {
	home, homes := newHome(t)
	const id = "58fa1ab1-819b-4092-ab18-50fd5f7ffd2a"
	folder := filepath.Join(projects(home), folderName("/home/dev/src/main"))
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(fixtures, "subagent"))); err != nil {
		t.Fatal(err)
	}
	sessions, problems := list(t.Context(), nil, homes, nil)
	if len(sessions) != 1 || sessions[0].ID.ID != id || len(problems) != 0 {
		t.Errorf("got %v, problems %v", sessions, problems)
	}

	// Older versions kept a subagent's lines in a file beside the session's.
	lines, err := os.ReadFile(filepath.Join(folder, id, "subagents", "agent-ae762ff37f60fc1ea.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	const sub = "11111111-0000-4000-8000-000000000000"
	put(t, home, "/home/dev/src/main", sub, lines)
	if sessions, _ = list(t.Context(), nil, homes, nil); len(sessions) != 1 {
		t.Errorf("a subagent's file is listed: %v", sessions)
	}
	found, _ := find(t.Context(), homes, sub)
	if len(found) != 1 || found[0].NotForkable == nil || found[0].NotForkable.Code != "sessionSubagent" {
		t.Errorf("find says %+v", found)
	}
}

func TestListPassesWhatIsNoTranscript(t *testing.T) {
	home, homes := newHome(t)
	const id = "9c322651-a113-47aa-817a-43cef594a8f5"
	putFixture(t, home, "print-three-turns.jsonl", "/home/dev/src/main")
	folder := filepath.Join(projects(home), folderName("/home/dev/src/main"))
	for _, name := range []string{"memory", "22222222-0000-4000-8000-000000000000.jsonl", id} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	content, _ := os.ReadFile(filepath.Join(folder, id+".jsonl"))
	for _, name := range []string{"agent-1.jsonl", strings.ToUpper(id) + ".jsonl", id + ".jsonl.bak", "notes.jsonl"} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	makePipe(t, filepath.Join(folder, "33333333-0000-4000-8000-000000000000.jsonl"))
	if err := os.Symlink("/dev/zero", filepath.Join(folder, "44444444-0000-4000-8000-000000000000.jsonl")); err != nil {
		t.Fatal(err)
	}
	sessions, problems := list(t.Context(), nil, homes, []string{"/home/dev/src/main"})
	if len(sessions) != 1 || sessions[0].ID.ID != id {
		t.Errorf("got %v", sessions)
	}
	if len(problems) != 1 || !strings.Contains(problems[0].Source, "44444444") {
		t.Errorf("problems %v", problems)
	}
}

func TestListNamesADamagedTranscriptAndShowsTheRest(t *testing.T) {
	home, homes := newHome(t)
	putFixture(t, home, "print-three-turns.jsonl", "/home/dev/src/main")
	const id = "22222222-0000-4000-8000-000000000000"
	put(t, home, "/home/dev/src/main", id, []byte("\x7fELF\x00\x01\xff\xfe\n{\"type\":\"user\",\"message\":{\"role\""))
	sessions, problems := list(t.Context(), nil, homes, nil)
	if len(sessions) != 2 || len(problems) != 0 {
		t.Fatalf("got %d sessions, problems %v", len(sessions), problems)
	}
	found, _ := find(t.Context(), homes, id)
	if len(found) != 1 || found[0].NotForkable == nil || found[0].NotForkable.Code != "sessionBroken" {
		t.Errorf("find says %+v", found)
	}
	// Of a file that does not say where it belongs, a workspace's list says nothing.
	if sessions, _ = list(t.Context(), nil, homes, []string{"/home/dev/src/main"}); len(sessions) != 1 {
		t.Errorf("got %d sessions of the workspace", len(sessions))
	}
}

func TestListLeavesTheStoreAsItIs(t *testing.T) {
	home, homes := newHome(t)
	id := putFixture(t, home, "print-three-turns.jsonl", "/home/dev/src/main")
	path := filesOf(home, id)[0]
	before, _ := os.Stat(path)
	list(t.Context(), nil, homes, nil)
	after, _ := os.Stat(path)
	if !before.ModTime().Equal(after.ModTime()) || before.Size() != after.Size() {
		t.Error("the transcript changed")
	}
}

func TestFolderNameIsClaudeCodes(t *testing.T) {
	tests := []struct{ cwd, want string }{
		{"/home/dev/src/main", "-home-dev-src-main"},
		{"/a b/ü.x_y", "-a-b---x-y"},
		{"/x/\U0001F600", "-x---"},
		{"/" + strings.Repeat("a", 199), "-" + strings.Repeat("a", 199)},
		{"/" + strings.Repeat("a", 200), "-" + strings.Repeat("a", 199) + "-b6ymvl"},
		{"/srv/" + strings.Repeat("long-part/", 40) + "ü", ("-srv-" + strings.Repeat("long-part-", 40))[:200] + "-spbgbh"},
	}
	for _, test := range tests {
		if got := folderName(test.cwd); got != test.want {
			t.Errorf("%.30s: %s, want %s", test.cwd, got, test.want)
		}
	}
}

func TestNoFolderOfAWorkspaceIsPassedOver(t *testing.T) {
	tops := []string{
		"/", "/a", "/a b/ü", "/x.y", "/" + strings.Repeat("b", 198), "/" + strings.Repeat("b", 199), "/" + strings.Repeat("b", 200),
		"/" + strings.Repeat("ü/", 150) + "end",
	}
	for _, top := range tops {
		for _, below := range []string{"", "/c", "/c/d e", "/" + strings.Repeat("long/", 60) + "x"} {
			cwd := strings.TrimSuffix(top, "/") + below
			if cwd != "" && !mayHold(folderName(cwd), top) {
				t.Errorf("%.40s (%d) would be missed in %.40s (%d)", cwd, len(cwd), top, len(top))
			}
		}
	}
	for _, other := range []string{"/ab", "/b", "/"} {
		if mayHold(folderName(other), "/a") {
			t.Errorf("%s is read for /a", other)
		}
	}
}

func TestListReadsOnlyFoldersThatCanMatch(t *testing.T) {
	home, _ := newHome(t)
	putFixture(t, home, "print-three-turns.jsonl", "/home/dev/src/main")
	putFixture(t, home, "cwd-drift.jsonl", "/home/dev/src/main/sub")
	putFixture(t, home, "forked-by-flag.jsonl", "/home/dev/src/wt2")
	files, _ := transcripts(t.Context(), nil, home, []string{"/home/dev/src/main"})
	if len(files) != 2 {
		t.Errorf("reads %v", files)
	}
}

func TestListEndsWithItsContext(t *testing.T) {
	home, homes := newHome(t)
	putFixture(t, home, "print-three-turns.jsonl", "/home/dev/src/main")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if sessions, _ := list(ctx, nil, homes, nil); len(sessions) != 0 {
		t.Errorf("read on: %v", sessions)
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(fixtures, "*.jsonl"))
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := read(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{got.cwd, got.prompt, got.branch, got.custom, got.ai, got.parent} {
			if len(text) > textLimit {
				t.Errorf("a text of %d bytes", len(text))
			}
		}
	})
}
