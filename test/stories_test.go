// Package test holds sidefork to its word from outside: stories told on its command line (stories/*.txtar), and the rules
// of the house. What needs more than a script is in the folders below: a fake editor, real agents, odd repositories, a
// crash at every step, and the judges that they share.
package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sidefork/sidefork/cmd/sidefork/cli"
	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/snapshot"
)

// TestMain lets a story run sidefork, and a stand-in for claude that only tells its version.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"sidefork": func() { os.Exit(cli.Main("0.0.0-test")) },
		"claude":   func() { fmt.Println("2.1.332 (Claude Code)") },
	})
}

func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "stories",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               home,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "field": field, "repo": repo, "conversation": conversation,
			"remember": remember, "unchanged": unchanged, "equal": equal, "path": path,
		},
	})
}

// home gives a story a HOME of its own, a fixed identity, and a git that reads no configuration of this machine. WORK is
// made physical: macOS has its temp folder behind a link.
func home(env *testscript.Env) error {
	work, err := filepath.EvalSymlinks(env.WorkDir)
	if err != nil {
		return err
	}
	env.Cd = work
	docs, err := filepath.Abs("../docs")
	if err != nil {
		return err
	}
	own := filepath.Join(work, "home")
	for name, value := range map[string]string{
		"WORK": work, "DOCS": docs, "HOME": own, "USERPROFILE": own, "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "CLAUDE_CONFIG_DIR": "", "CODEX_HOME": "",
		"GIT_CONFIG_GLOBAL": filepath.Join(own, ".gitconfig"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
	} {
		env.Setenv(name, value)
	}
	env.Values[snapshots{}] = map[string]snapshot.Snapshot{}
	return os.MkdirAll(own, 0o755)
}

type snapshots struct{}

// exits STATUS PROGRAM ARGS… runs a program and wants that exit status. stdout and stderr can be looked at afterwards.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		ended, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, not %d", got, want)
	}
}

// field FILE PATH VALUE wants a value in a JSON file (stdout, stderr): PATH is names and indexes with dots between; "len" is
// the length of what is there. A string is compared as it is, the rest as JSON; no VALUE wants just something to be there.
func field(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: field FILE PATH [VALUE]")
	}
	var at any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &at); err != nil {
		ts.Fatalf("%s is no JSON: %v", args[0], err)
	}
	got, there := dig(at, strings.Split(args[1], "."))
	matches := there && (len(args) == 2 || got == args[2])
	if matches == neg {
		ts.Fatalf("%s of %s is %q (there: %v)", args[1], args[0], got, there)
	}
}

func dig(at any, path []string) (text string, there bool) {
	for _, step := range path {
		switch v := at.(type) {
		case map[string]any:
			if at, there = v[step]; !there {
				return "", false
			}
		case []any:
			i, err := strconv.Atoi(step)
			switch {
			case step == "len":
				at = len(v)
			case err == nil && i < len(v):
				at = v[i]
			default:
				return "", false
			}
		default:
			return "", false
		}
	}
	if s, ok := at.(string); ok {
		return s, true
	}
	raw, err := json.Marshal(at)
	return string(raw), err == nil
}

// repo DIR makes a repository with one commit, of a text, a binary, a link and an executable.
func repo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Join(dir, "lib"), 0o755))
	for name, content := range map[string]string{
		"README": "hello\n", "gone": "x\n", "old": "a\nb\nc\nd\n", "lib/a": "1\n", "lib/b": "2\n", "bin": "\x00\x01\xff", ".gitignore": "*.log\n",
	} {
		ts.Check(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main", dir}, {"-C", dir, "add", "."}, {"-C", dir, "commit", "-q", "-m", "one"}} {
		ts.Check(ts.Exec("git", args...))
	}
}

// conversation ID CWD [FILE] records a Claude Code conversation that was begun in CWD; FILE is its transcript instead.
func conversation(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: conversation ID CWD [FILE]")
	}
	id, cwd := args[0], ts.MkAbs(args[1])
	transcript, err := os.ReadFile("demo/transcript.jsonl")
	if len(args) == 3 {
		transcript, err = os.ReadFile(ts.MkAbs(args[2]))
	}
	ts.Check(err)
	quoted, err := json.Marshal(cwd)
	ts.Check(err)
	transcript = bytes.ReplaceAll(transcript, []byte(`"/home/dev/src/main"`), quoted)
	transcript = bytes.ReplaceAll(transcript, []byte("9c322651-a113-47aa-817a-43cef594a8f5"), []byte(id))
	folder := filepath.Join(ts.Getenv("HOME"), ".claude", "projects", encoded(cwd))
	ts.Check(os.MkdirAll(folder, 0o700))
	ts.Check(os.WriteFile(filepath.Join(folder, id+".jsonl"), transcript, 0o600))
}

// encoded is a folder's name in Claude Code's store: each UTF-16 unit that is no letter or digit is a dash.
func encoded(cwd string) string {
	units := utf16.Encode([]rune(cwd))
	name := make([]byte, len(units))
	for i, u := range units {
		name[i] = '-'
		if u < 128 && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", rune(u)) {
			name[i] = byte(u)
		}
	}
	return string(name)
}

// remember DIR takes down all of a folder and its repository; unchanged DIR wants it to be so still.
func remember(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: remember DIR")
	}
	taken, err := snapshot.Take(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Value(snapshots{}).(map[string]snapshot.Snapshot)[args[0]] = taken
}

// unchanged DIR [BRANCH…] wants what was remembered to be as it was; but for a new worktree on each BRANCH that is named.
func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: unchanged DIR [BRANCH…]")
	}
	before, there := ts.Value(snapshots{}).(map[string]snapshot.Snapshot)[args[0]]
	if !there {
		ts.Fatalf("%s was not remembered", args[0])
	}
	after, err := snapshot.Take(ts.MkAbs(args[0]))
	ts.Check(err)
	var allow []snapshot.Allow
	for _, branch := range args[1:] {
		allow = append(allow, snapshot.Branch(branch), snapshot.Worktrees())
	}
	if lines := snapshot.Diff(before, after, allow...); len(lines) > 0 {
		ts.Fatalf("%s has changed:\n%s", args[0], strings.Join(lines, "\n"))
	}
}

// equal PARENT CHILD wants two worktrees to be equal, index entry for index entry and byte for byte.
func equal(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: equal PARENT CHILD")
	}
	differences := compare.Trees(ts.MkAbs(args[0]), ts.MkAbs(args[1]), compare.Options{Index: true})
	if (len(differences) > 0) != neg {
		ts.Fatalf("differences: %v", differences)
	}
}

// path PROGRAM… makes a PATH with only these programs on it.
func path(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: path PROGRAM…")
	}
	folder, err := os.MkdirTemp(ts.Getenv("WORK"), "path")
	ts.Check(err)
	for _, name := range args {
		program, err := exec.LookPath(name)
		ts.Check(err)
		ts.Check(os.Symlink(program, filepath.Join(folder, name)))
	}
	ts.Setenv("PATH", folder)
}
