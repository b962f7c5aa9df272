package sessions

import (
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

func TestImportGivesTheAgentTheConversationAndProvesIt(t *testing.T) {
	p := newPlace(t)
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("SECRET_OF_THE_USER", "x")
	path := script(t, p, "agent", `PATH=/bin:/usr/bin; cat "$2" >stored; ls -l "$2" >>stored; echo "$PINNED $SECRET_OF_THE_USER." >>stored; echo said; exit $(cat status 2>/dev/null || echo 0)`)
	pinned := "pinned"
	var asked int
	l := Launch{Cwd: p.in("app"), Session: ID{Agent: "opencode", ID: "x"}, Import: &agent.Import{
		Argv: []string{path, "import"}, Env: map[string]*string{"PINNED": &pinned, "HOME": nil}, Content: []byte("the conversation\n"),
		Stored: func(context.Context, string) error { asked++; return nil },
	}}
	if _, err := Import(t.Context(), p.config(), l); err != nil || asked != 1 {
		t.Fatalf("%v, asked %d times", err, asked)
	}
	stored, err := os.ReadFile(filepath.Join(l.Cwd, "stored"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(stored), "\n")
	if lines[0] != "the conversation" || !strings.HasPrefix(lines[1], "-rw-------") || lines[2] != "pinned ." {
		t.Errorf("it was given %q", lines)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}

	l.Import.Stored = func(context.Context, string) error { return errors.New("half of it") }
	if _, err := Import(t.Context(), p.config(), l); err == nil || !strings.Contains(err.Error(), "half of it") || !strings.Contains(err.Error(), "said") {
		t.Errorf("an import that stores half of it: %v", err)
	}
	if err := os.WriteFile(filepath.Join(l.Cwd, "status"), []byte("3"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.Import.Stored = func(context.Context, string) error { t.Error("asked after a failure"); return nil }
	if _, err := Import(t.Context(), p.config(), l); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("an import that fails: %v", err)
	}
	if _, err := Import(t.Context(), p.config(), Launch{}); err != nil {
		t.Errorf("a launch that needs none: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Import(ctx, p.config(), l); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOpencodesOwnLaunchPassesTheGuardAndNoOther(t *testing.T) {
	p := newPlace(t)
	data, err := os.ReadFile("../test/fixtures/opencode/opencode.db")
	if err != nil {
		t.Fatal(err)
	}
	p.write(filepath.Join(".local", "share", "opencode", "opencode.db"), "", string(data))
	program(t, p, "opencode", "1.18.33")
	const id = "ses_dd481569dffeCkQhruPNvIxrTZ"
	s, err := Find(t.Context(), p.config(), ID{Agent: "opencode", ID: id})
	if err != nil {
		t.Fatal(err)
	}
	c := p.config()
	l, err := PrepareLaunch(t.Context(), c, s, agent.ForkRequest{Child: p.in("child"), Name: "child"})
	if err != nil || l.Import == nil || l.Session.ID == id {
		t.Fatalf("%+v, %v", l, err)
	}
	_, err = PrepareLaunch(t.Context(), c, s, agent.ForkRequest{Child: p.in("child"), At: "msg_x"})
	refused(t, err, "turnsUnknown")
	c.Arguments = map[string][]string{"opencode": {"--session", id}}
	_, err = PrepareLaunch(t.Context(), c, s, agent.ForkRequest{Child: p.in("child"), Name: "child"})
	refused(t, err, "invalidArgument")
}

func TestTheStartOfATranscriptIsCopiedForThisUserAlone(t *testing.T) {
	p := newPlace(t)
	from, folder := filepath.Join(p.home, "transcript.jsonl"), filepath.Join(p.home, "state", "turns")
	const start = "one\ntwo\n"
	if err := os.WriteFile(from, []byte(start+"three\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(folder, "old.jsonl"), filepath.Join(folder, "young.jsonl")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, age := range map[string]time.Duration{old: copyKept + time.Hour, young: time.Hour} {
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, time.Time{}, time.Now().Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	l := Launch{Import: &agent.Import{Copy: &agent.Copy{From: from, Size: int64(len(start)), To: filepath.Join(folder, "x.jsonl")}}}
	if _, err := Import(t.Context(), p.config(), l); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(l.Import.Copy.To)
	info, err2 := os.Stat(l.Import.Copy.To)
	if err := errors.Join(err, err2); err != nil || string(content) != start || info.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v, %v", content, info, err)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an old copy: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Error(err)
	}
	if _, err := Import(t.Context(), p.config(), l); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a copy that is there: %v", err)
	}
	l.Import.Copy.To, l.Import.Copy.Size = filepath.Join(folder, "y.jsonl"), 1000
	if _, err := Import(t.Context(), p.config(), l); err == nil {
		t.Error("more than there is was copied")
	}
	if _, err := os.Stat(l.Import.Copy.To); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

func TestAForkThatAProgramMakesIsKnownByTheIDThatItTells(t *testing.T) {
	p := newPlace(t)
	path := script(t, p, "agent", `read word; [ "$word" = mute ] || echo "$word"; echo complaint >&2; read rest; exit 3`)
	var asked []string
	l := func(word string, stored error) Launch {
		return Launch{
			Cwd: p.in("app"), Parent: ID{Agent: "codex", ID: sid(1)}, Argv: []string{"codex", "resume", agent.Pending, agent.Pending},
			Import: &agent.Import{
				Argv: []string{path},
				Talk: func(to io.Writer, from io.Reader) (string, error) {
					if _, err := io.WriteString(to, word+"\n"); err != nil {
						return "", err
					}
					if word == "mute" {
						return "", nil
					}
					told := make([]byte, len(word))
					_, err := io.ReadFull(from, told)
					return string(told), err
				},
				Stored: func(_ context.Context, id string) error { asked = append(asked, id); return stored },
			},
		}
	}
	before := l(sid(2), nil)
	made, err := Import(t.Context(), p.config(), before)
	if err != nil || made.Session.ID != sid(2) || !slices.Equal(made.Argv, []string{"codex", "resume", sid(2), agent.Pending}) || !slices.Equal(asked, []string{sid(2)}) {
		t.Fatalf("%+v, %v, asked for %q", made, err, asked)
	}
	if before.Argv[2] != agent.Pending {
		t.Error("the launch that was given was changed")
	}
	for name, test := range map[string]struct {
		l    Launch
		says string
	}{
		"an id that is a flag":     {l("--dangerously-do-it-and-ask-nobody-at-all", nil), "--dangerously"},
		"the parent's own id":      {l(sid(1), nil), sid(1)},
		"nothing":                  {l("mute", nil), "complaint"},
		"a fork that is not there": {l(sid(3), errors.New("it is not there")), "it is not there"},
	} {
		if _, err := Import(t.Context(), p.config(), test.l); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Import(ctx, p.config(), l(sid(2), nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
