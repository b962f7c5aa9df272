package worktree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/template"
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
	if err := base(top, strings.Join(init, " ")); err != nil {
		t.Fatal(err)
	}
	return top
}

// base is the repository of all these tests, by the arguments that git init got.
var base = template.Of(func(top, init string) error {
	git := func(args ...string) error { return exec.Command("git", append([]string{"-C", top}, args...)...).Run() }
	return errors.Join(
		git(append([]string{"init", "-q", "-b", "main"}, strings.Fields(init)...)...),
		os.WriteFile(filepath.Join(top, "a.txt"), []byte("one\n"), 0o644),
		os.Mkdir(filepath.Join(top, "src"), 0o755),
		os.WriteFile(filepath.Join(top, "src", "b.txt"), []byte("two\n"), 0o644),
		git("add", "-A"), git("commit", "-q", "-m", "base"),
	)
})

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
