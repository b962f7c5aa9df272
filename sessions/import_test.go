package sessions

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		Stored: func(context.Context) error { asked++; return nil },
	}}
	if err := Import(t.Context(), p.config(), l); err != nil || asked != 1 {
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

	l.Import.Stored = func(context.Context) error { return errors.New("half of it") }
	if err := Import(t.Context(), p.config(), l); err == nil || !strings.Contains(err.Error(), "half of it") || !strings.Contains(err.Error(), "said") {
		t.Errorf("an import that stores half of it: %v", err)
	}
	if err := os.WriteFile(filepath.Join(l.Cwd, "status"), []byte("3"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.Import.Stored = func(context.Context) error { t.Error("asked after a failure"); return nil }
	if err := Import(t.Context(), p.config(), l); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("an import that fails: %v", err)
	}
	if err := Import(t.Context(), p.config(), Launch{}); err != nil {
		t.Errorf("a launch that needs none: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := Import(ctx, p.config(), l); !errors.Is(err, context.Canceled) {
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
	c.Arguments = map[string][]string{"opencode": {"--session", id}}
	_, err = PrepareLaunch(t.Context(), c, s, agent.ForkRequest{Child: p.in("child"), Name: "child"})
	refused(t, err, "invalidArgument")
}
