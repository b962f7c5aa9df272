package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckNameRefusesWhatCannotBeABranch(t *testing.T) {
	top := newRepo(t)
	run(t, top, "branch", "taken")
	run(t, top, "branch", "release/1.0")
	run(t, top, "branch", "a/b")
	run(t, top, "pack-refs", "--all")
	w := mustOpen(t, top)
	for name, want := range map[string]string{
		"--force": "invalidName", "-": "invalidName", "": "invalidName", "@": "invalidName", "HEAD": "invalidName", "a..b": "invalidName",
		"x.lock": "invalidName", "a b": "invalidName", "@{-1}": "invalidName", "a\nb": "invalidName", "a\x7f": "invalidName", "/a": "invalidName",
		"a/": "invalidName", "a//b": "invalidName", ".a": "invalidName", "a/.b": "invalidName", "a.": "invalidName", "a:b": "invalidName",
		strings.Repeat("x", 251): "invalidName", w.Head: "invalidName", strings.Repeat("x/", 600) + "x": "invalidName",
		"refs/heads/q": "invalidName", "refs/q": "", "heads/q": "",
		"taken": "nameTaken", "main": "nameTaken", "release": "nameConflict", "taken/x": "nameConflict", "a/b/c": "nameConflict", "release/1.0/x/y": "nameConflict",
		"fine": "", "release/1.1": "", "Taken": "", "ünïcode": "", "a/c": "", strings.Repeat("x", 250): "", "a./b": "",
	} {
		no := CheckName(context.Background(), w, name)
		if code(no) != want {
			t.Errorf("%.40q: %s, want %s", name, code(no), want)
		}
		if want == "nameTaken" && no.Args["suggestion"] != name+"-2" {
			t.Errorf("%s: suggests %s", name, no.Args["suggestion"])
		}
		if want == "nameConflict" && no.Args["other"] == "" {
			t.Errorf("%s: names no other", name)
		}
	}
	run(t, top, "config", "core.ignoreCase", "true")
	for name, want := range map[string]string{"Taken": "nameConflict", "RELEASE/2": "", "Release": "nameConflict", "TAKEN/x": "nameConflict", "taken": "nameTaken"} {
		if no := CheckName(context.Background(), w, name); code(no) != want {
			t.Errorf("ignoring case, %s: %s, want %s", name, code(no), want)
		}
	}
	if _, err := os.Stat(filepath.Join(w.CommonDir, "sidefork")); err == nil {
		t.Error("a look has written")
	}
}

// TestCheckNameSeesWhatGitCallsNoBranch: git would put its own over a ref that leads nowhere or that it cannot read, and
// refuses, too late, the branch that another worktree is on without a commit.
func TestCheckNameSeesWhatGitCallsNoBranch(t *testing.T) {
	top := newRepo(t)
	run(t, top, "symbolic-ref", "refs/heads/dangling", "refs/heads/nowhere")
	run(t, top, "worktree", "add", "-q", "--detach", top+"-other")
	run(t, top+"-other", "symbolic-ref", "HEAD", "refs/heads/unborn")
	w := mustOpen(t, top)
	heads := filepath.Join(w.CommonDir, "refs", "heads")
	if err := os.WriteFile(filepath.Join(heads, "broken"), []byte("no object id\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(heads, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(heads, "empty", "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"dangling": "nameTaken", "unborn": "nameTaken", "broken": "nameTaken", "link": "nameTaken", "broken/x": "nameConflict", "link/x/y": "nameConflict",
		"unborn/x": "nameConflict", "nowhere": "", "empty": "", "empty/folder": "",
	} {
		no := CheckName(context.Background(), w, name)
		if code(no) != want {
			t.Errorf("%s: %s, want %s", name, code(no), want)
		}
		if want == "nameTaken" && no.Args["suggestion"] != name+"-2" {
			t.Errorf("%s: suggests %s", name, no.Args["suggestion"])
		}
	}
}

func TestFreeNameNumbersAndCleans(t *testing.T) {
	top := newRepo(t)
	for _, b := range []string{"parent-fork", "parent-fork-2", "release", "dir/x"} {
		run(t, top, "branch", b)
	}
	w := mustOpen(t, top)
	for wish, want := range map[string]string{
		"new": "new", "parent-fork": "parent-fork-3", "dir": "dir-2", "release/x": "release-x", "my folder-fork": "my-folder-fork", "-x": "x",
		"": "session-fork", "...": "session-fork", "a..b": "a.b", "@{x}": "x", "a/ /b.lock": "a/b", "HEAD": "session-fork", "日本": "日本",
	} {
		got, err := FreeName(context.Background(), w, wish)
		if err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", wish, got, err, want)
		}
	}
	long, err := FreeName(context.Background(), w, strings.Repeat("é", 3000))
	if err != nil || CheckName(context.Background(), w, long) != nil {
		t.Errorf("%q %v", long, err)
	}
}

func TestResolveCommitTakesRefsAndNothingElse(t *testing.T) {
	top := newRepo(t)
	first := run(t, top, "rev-parse", "HEAD")
	run(t, top, "tag", "-a", "-m", "v", "v1")
	run(t, top, "update-ref", "refs/remotes/origin/main", first)
	run(t, top, "commit", "-q", "--allow-empty", "-m", "two")
	w := mustOpen(t, top)
	for _, ref := range []string{"v1", "HEAD~1", first, first[:10], "origin/main", "main^"} {
		if oid, no := ResolveCommit(context.Background(), w, ref); no != nil || oid != first {
			t.Errorf("%s: %s %v", ref, oid, no)
		}
	}
	for _, ref := range []string{"", "nowhere", "--all", "-", "a b", "HEAD:a.txt", ":/two", "HEAD..main", "HEAD^{/two}", "a\nb", "HEAD^{tree}", strings.Repeat("a", 2000)} {
		if oid, no := ResolveCommit(context.Background(), w, ref); code(no) != "refUnknown" || oid != "" {
			t.Errorf("%q: %s %v", ref, oid, no)
		}
	}
}

func TestDefaultBranchPrefersWhatOriginSays(t *testing.T) {
	top := newRepo(t)
	w := mustOpen(t, top)
	ctx := context.Background()
	run(t, top, "branch", "-m", "trunk")
	if got := DefaultBranch(ctx, w); got != "trunk" {
		t.Errorf("the main checkout's: %q", got)
	}
	run(t, top, "branch", "master")
	if got := DefaultBranch(ctx, w); got != "master" {
		t.Errorf("master: %q", got)
	}
	run(t, top, "config", "--global", "init.defaultBranch", "trunk")
	if got := DefaultBranch(ctx, w); got != "trunk" {
		t.Errorf("init.defaultBranch: %q", got)
	}
	run(t, top, "update-ref", "refs/remotes/origin/dev", "HEAD")
	run(t, top, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev")
	if got := DefaultBranch(ctx, w); got != "origin/dev" {
		t.Errorf("origin: %q", got)
	}
}
