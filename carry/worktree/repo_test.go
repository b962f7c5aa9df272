package worktree

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newRepo makes a repository with one commit on main, in a world of its own: home, identity and dates are fixed.
func newRepo(t *testing.T, init ...string) string {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": filepath.Join(home, ".gitconfig"),
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.invalid", "GIT_AUTHOR_DATE": "1700000000 +0000",
		"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.invalid", "GIT_COMMITTER_DATE": "1700000000 +0000",
	} {
		t.Setenv(name, value)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	top := filepath.Join(dir, "parent")
	run(t, dir, append(append([]string{"init", "-q", "-b", "main"}, init...), top)...)
	write(t, filepath.Join(top, "a.txt"), "one\n")
	write(t, filepath.Join(top, "src", "b.txt"), "two\n")
	run(t, top, "add", "-A")
	run(t, top, "commit", "-q", "-m", "base")
	return top
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustOpen(t *testing.T, dir string) Worktree {
	t.Helper()
	w, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatalf("Open(%s): %v", dir, err)
	}
	return w
}

// code is the refusal's code, "" for none.
func code(no *Refusal) string {
	if no == nil {
		return ""
	}
	return no.Code
}

// codeOf is the code of an error that is a refusal.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	if no, ok := err.(*Refusal); ok {
		return no.Code
	}
	return "error: " + err.Error()
}
