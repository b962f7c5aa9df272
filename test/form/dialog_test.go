//go:build unix

// Package form plays the dialog as an editor does: over pipes, by the rules of docs/contract.md, "The dialog", and with the
// parent's snapshot round it.
package form

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/sidefork/sidefork/cmd/sidefork/cli"
	"github.com/sidefork/sidefork/sidecar"
	"github.com/sidefork/sidefork/test/editor"
	"github.com/sidefork/sidefork/test/snapshot"
	"github.com/sidefork/sidefork/test/template"
)

// asCommandLine makes this test binary sidefork.
const asCommandLine = "SIDEFORK_TEST_AS_COMMAND_LINE"

func TestMain(m *testing.M) {
	if os.Getenv(asCommandLine) != "" {
		os.Exit(cli.Main("0.0.0-test"))
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull, "LC_ALL": "C",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.invalid", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.invalid",
		"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
	} {
		os.Setenv(name, value)
	}
	os.Exit(m.Run())
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// repository writes one of two commits on main and a branch "older" at the first, with a setup where the kind says so.
var repository = template.Of(func(top, kind string) error {
	script := `git init -q -b main . && printf 'a\n' >a && printf '*.log\n' >.gitignore && git add . && git commit -q -m one && git branch older &&
		printf 'b\n' >b && git add . && git commit -q -m two && git tag v1`
	if kind == "setup" {
		script += ` && printf '{"setup":["touch ran"],"agents":{"claude":{"args":["--dangerously-skip-permissions"]}}}' >.sidefork.json && git add . && git commit -q -m three`
	}
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
})

// scene is a repository, a home with agents' sessions, and a sidecar that an editor talks to.
type scene struct {
	*editor.Editor
	t      *testing.T
	top    string // of the repository
	home   string
	before snapshot.Snapshot
}

func newScene(t *testing.T, kind string) *scene {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, top: filepath.Join(root, "app"), home: filepath.Join(root, "home")}
	if err := repository(s.top, kind); err != nil {
		t.Fatal(err)
	}
	s.write(filepath.Join(s.home, "bin", "claude"), "#!/bin/sh\necho '2.1.332 (Claude Code)'\n")
	if err := os.Chmod(filepath.Join(s.home, "bin", "claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

// serve starts the sidecar. From then on nothing of the parent may change.
func (s *scene) serve() {
	s.t.Helper()
	environment := map[string]string{"HOME": s.home, "PATH": filepath.Join(s.home, "bin") + ":" + os.Getenv("PATH")}
	s.Editor = editor.InProcess(func(in io.Reader, out io.Writer) int {
		return sidecar.Serve(context.Background(), in, out, sidecar.Options{Getenv: func(name string) string { return environment[name] }})
	})
	s.t.Cleanup(s.Close)
	if _, err := s.Initialize(soon(s.t), editor.Options{Folders: []string{s.top}}); err != nil {
		s.t.Fatal(err)
	}
	s.before = s.take()
}

func (s *scene) take() snapshot.Snapshot {
	s.t.Helper()
	taken, err := snapshot.Take(s.top)
	if err != nil {
		s.t.Fatal(err)
	}
	return taken
}

// untouched wants the parent to be as it was, but for a fork where one is allowed.
func (s *scene) untouched(allow ...snapshot.Allow) {
	s.t.Helper()
	if _, err := os.Lstat(filepath.Join(s.top, ".git", "sidefork")); err == nil && len(allow) == 0 {
		s.t.Error("something was written into .git/sidefork")
	}
	for _, line := range snapshot.Diff(s.before, s.take(), allow...) {
		s.t.Errorf("the parent has changed: %s", line)
	}
}

func (s *scene) write(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// converse records a Claude Code conversation in the repository, begun at an hour of one day.
func (s *scene) converse(id, title string, hour int) (transcript string) {
	s.t.Helper()
	text, err := os.ReadFile("../demo/transcript.jsonl")
	if err != nil {
		s.t.Fatal(err)
	}
	cwd, _ := json.Marshal(s.top)
	said, _ := json.Marshal(title)
	lines := strings.NewReplacer(`"/home/dev/src/main"`, string(cwd), "9c322651-a113-47aa-817a-43cef594a8f5", id).Replace(string(text))
	if title != "" {
		lines += `{"type":"custom-title","customTitle":` + string(said) + `,"sessionId":"` + id + `"}` + "\n"
	}
	name := strings.Map(func(r rune) rune {
		if r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '-'
	}, s.top)
	transcript = filepath.Join(s.home, ".claude", "projects", name, id+".jsonl")
	s.write(transcript, lines)
	at := time.Date(2026, 5, 1, hour, 0, 0, 0, time.UTC)
	if err := os.Chtimes(transcript, at, at); err != nil {
		s.t.Fatal(err)
	}
	return transcript
}

// field is a field as it came over the wire.
type field struct {
	ID, Description, Error string
	Required               bool
	Default                any
	Type                   struct {
		Kind              string
		Entries           []entry
		Source            string
		Config            any
		Advanced, Pending bool
		DisabledReason    string
		Setup             *struct {
			Commands         []string
			Hash, Difference string
		}
		ElementType *struct{ Kind string }
	}
}

type entry struct{ Value, Description string }

// dialog is a client of the form: what it draws, and what its user has said.
type dialog struct {
	*scene
	argument map[string]any
	user     map[string]any // by field, what the user chose
	fields   []field
	seen     map[string]bool
	changes  int // sidefork/changed that were followed
}

// open opens the dialog and waits until nothing is pending any more.
func (s *scene) open(argument map[string]any) *dialog {
	s.t.Helper()
	if argument == nil {
		argument = map[string]any{"workspace": s.top}
	}
	d := &dialog{scene: s, argument: argument, user: map[string]any{}, seen: map[string]bool{}}
	d.resolve(map[string]any{})
	d.settle()
	return d
}

// resolve asks for the fields. With none in the answer it leaves those that are drawn.
func (d *dialog) resolve(more map[string]any) (asked bool) {
	d.t.Helper()
	params := map[string]any{"command": "sidefork.fork", "arguments": []any{d.argument}}
	for k, v := range more {
		params[k] = v
	}
	var answer struct {
		Command    string
		FormFields []field
	}
	if err := d.Call("command/resolve", params).Into(soon(d.t), &answer); err != nil {
		d.t.Fatalf("command/resolve: %v", err)
	}
	if answer.Command != "sidefork.fork" {
		d.t.Errorf("the command came back as %q", answer.Command)
	}
	if len(answer.FormFields) == 0 {
		return false
	}
	d.fields = answer.FormFields
	for id := range d.seen {
		if d.find(id) == nil {
			d.t.Errorf("the field %s was taken away", id)
		}
	}
	for _, f := range d.fields {
		d.seen[f.ID] = true
	}
	return true
}

func (d *dialog) find(id string) *field {
	for i, f := range d.fields {
		if f.ID == id {
			return &d.fields[i]
		}
	}
	return nil
}

// at is a field that has to be there.
func (d *dialog) at(id string) field {
	d.t.Helper()
	f := d.find(id)
	if f == nil {
		d.t.Fatalf("there is no field %s in %+v", id, d.fields)
	}
	return *f
}

// value is what a field is drawn with: what the user chose, as long as it can be chosen, else its default.
func (d *dialog) value(f field) any {
	chosen, touched := d.user[f.ID]
	offered := f.Type.Kind != "enum" || slices.ContainsFunc(f.Type.Entries, func(e entry) bool { return e.Value == chosen })
	if touched && offered && f.Type.DisabledReason == "" {
		return chosen
	}
	return f.Default
}

func (d *dialog) answers() []any {
	list := []any{}
	for _, f := range d.fields {
		list = append(list, map[string]any{"id": f.ID, "value": d.value(f)})
	}
	return list
}

// redraw asks for the fields as they are with what is drawn.
func (d *dialog) redraw() {
	d.t.Helper()
	if !d.resolve(map[string]any{"formAnswers": d.answers(), "draft": true}) {
		d.t.Error("a draft got no fields")
	}
}

// settle redraws with each sidefork/changed until nothing is pending.
func (d *dialog) settle() {
	d.t.Helper()
	for slices.ContainsFunc(d.fields, func(f field) bool { return f.Type.Pending }) {
		seen := 0
		_, err := d.Notifications.Await(soon(d.t), func(n editor.Notification) bool {
			if n.Method == "sidefork/changed" {
				seen++
			}
			return seen > d.changes
		})
		if err != nil {
			d.t.Fatal(err)
		}
		d.changes++
		d.redraw()
	}
}

// choose is the user's.
func (d *dialog) choose(id string, value any) {
	d.t.Helper()
	d.at(id)
	d.user[id] = value
	d.redraw()
	d.settle()
}

// submit asks whether all is answered, and runs the command.
func (d *dialog) submit(command string, into any) (complete bool) {
	d.t.Helper()
	answers := d.answers()
	if d.resolve(map[string]any{"formAnswers": answers}) {
		return false
	}
	params := map[string]any{"command": command, "arguments": []any{d.argument}, "formAnswers": answers}
	err := d.Call("workspace/executeCommand", params).Into(soon(d.t), into)
	if failed, ok := errors.AsType[*editor.Error](err); ok {
		d.t.Errorf("%s: %s", command, failed.Data)
	} else if err != nil {
		d.t.Error(err)
	}
	return true
}
