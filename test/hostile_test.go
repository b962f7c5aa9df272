//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile is what a terminal, an editor or a reader must never be given: colours, a title, a clipboard, a bell, a way back over
// the line, another direction of the text.
const hostile = "\x1b[31m\x1b]0;title\x07\x1b]52;c;aGk=\x07\r\b\u009b2J\u202egnp.\u2066"

// TestNothingOfARepositoryOrATranscriptMeansAnythingToATerminal: names, contents, settings and words of a repository and of an
// agent's store that were made to.
func TestNothingOfARepositoryOrATranscriptMeansAnythingToATerminal(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	app, home := filepath.Join(root, "app"), filepath.Join(root, "home")
	environ := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "CLAUDE_CONFIG_DIR=", "CODEX_HOME=", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME="+strings.NewReplacer("\n", "", "\x00", "").Replace(hostile)+"A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	const id = "9c322651-a113-47aa-817a-43cef594a8f5"
	store := filepath.Join(home, ".claude", "projects", encoded(app))
	for _, dir := range []string{app, store} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	name := "x" + strings.ReplaceAll(hostile, "/", "") + "y"
	transcript, err := os.ReadFile("demo/transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(app)
	evil, _ := json.Marshal("say " + hostile)
	transcript = bytes.ReplaceAll(transcript, []byte(`"/home/dev/src/main"`), quoted)
	transcript = bytes.ReplaceAll(transcript, []byte("turn one CODEWORD-ONE"), evil[1:len(evil)-1])
	title, _ := json.Marshal(map[string]string{"type": "custom-title", "customTitle": "title " + hostile, "sessionId": id})
	setup, _ := json.Marshal(map[string]any{"setup": "echo hi", "name": "n" + hostile, "include": []string{"*" + hostile}, "mood" + hostile: 1})
	for path, text := range map[string][]byte{
		filepath.Join(store, id+".jsonl"):        append(transcript, append(title, '\n')...),
		filepath.Join(store, "bad.jsonl"):        []byte(hostile),
		filepath.Join(app, "a.txt"):              []byte("a\n"),
		filepath.Join(app, name):                 []byte(hostile),
		filepath.Join(app, ".sidefork.json"):     setup,
		filepath.Join(app, ".gitignore"):         []byte("ignored*\n"),
		filepath.Join(app, "ignored"+name):       []byte("i"),
		filepath.Join(app, ".worktreeinclude"):   []byte("ignored*\n"),
		filepath.Join(root, "bin", "post"):       []byte("#!/bin/sh\n"),
		filepath.Join(app, "folder"+name, "new"): []byte("n"),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Skipf("this file system takes no such name: %v", err)
		}
	}
	script := `git init -q -b main . && git add a.txt .gitignore && git commit -qm first && printf more >>a.txt && git add -N .sidefork.json && mkdir .git/hooks -p &&
printf '#!/bin/sh\nprintf "\\033[31mhook\\007" >&2\nexit 3\n' >.git/hooks/post-checkout && chmod +x .git/hooks/post-checkout`
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir, cmd.Env = app, environ
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range []string{
		"workspaces", "sessions", "sessions --scope all", "sessions --turns --session claude:" + id, "inspect", "plan", "plan --name x --session claude:" + id,
		"fork --name child --no-session", "fork --name child", "fork --name other --latest", "compare", "carry . ../app-worktrees/child", "remove ../app-worktrees/child",
		"remove ../app-worktrees/child --force uncommitted", "doctor", "settings", "trust . x", "inspect ../" + hostile, "fork --name " + name, "outcome " + name,
		"sessions --session " + name + " --turns", "guard claude" + name, "--set " + name + "=1 sessions", "fork --name z --base " + name, "workspaces --host " + name, "",
	} {
		cmd := exec.Command("sidefork", strings.Split(strings.TrimSpace(line), " ")...)
		if line == "" {
			cmd.Args = cmd.Args[:1]
		}
		cmd.Dir, cmd.Env = app, environ
		out, _ := cmd.CombinedOutput() // what it refuses it says too
		if len(out) == 0 {
			t.Errorf("sidefork %q says nothing", line)
		}
		for i, r := range string(out) {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Errorf("sidefork %q gives the terminal %U: %s", line, r, fmt.Sprintf("%q", string(out)[max(0, i-60):min(len(out), i+60)]))
				break
			}
		}
	}
}
