package git

import (
	"os/exec"
	"strings"
	"testing"
)

func TestValidBranchAgreesWithGit(t *testing.T) {
	dir := t.TempDir()
	names := []string{
		"a", "a/b", "-a", "a-", "--force", "a@", "@a", "a@b", "@{-1}", "a@{b", "HEAD", "head", "HEAD/a", "a/HEAD", "a..b", "a.b", ".a", "a.", "a/.b",
		"a./b", "a.lock", "a.lock/b", "a.lockb", "/a", "a/", "a//b", "a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a]b", `a\b`, "a\tb", "a\x01b",
		"a\x7fb", "ü", "a\xffb", "refs/heads/x", "x'y", `x"y`, "x;y", "$(x)", "`x`", "a{b}", "!", "#1", "%", "&", "=", "+", ",", "-/a", "a/-b", "..", ".", "...",
		"lock", ".lock", "a/.lock", "FETCH_HEAD", "a\nb", "é/ñ", "123", "-", "--", "@/a", "a/@", "@@",
	}
	for i, name := range names {
		if testing.Short() && i%4 != 0 {
			continue // `make check` asks git about a quarter of them
		}
		cmd := exec.Command("git", "check-ref-format", "--branch", name)
		cmd.Dir = dir
		out, err := cmd.Output()
		want := err == nil && strings.TrimSuffix(string(out), "\n") == name
		if got := ValidBranch(name); got != want {
			t.Errorf("%q: %v, git says %v", name, got, want)
		}
	}
}

func TestWorktreesParsesBothForms(t *testing.T) {
	oid := strings.Repeat("1", 40)
	attributes := []string{
		"worktree /a b", "HEAD " + oid, "branch refs/heads/x", "", "worktree /c", "HEAD " + oid, "detached", "locked", "", "worktree /d", "HEAD " + strings.Repeat("0", 40),
		"branch refs/heads/y", "locked for a reason", "prunable gitdir file points nowhere", "", "worktree /e", "bare", "", "",
	}
	for _, end := range []string{"\n", "\x00"} {
		got, err := parseWorktrees(strings.Join(attributes, end), end)
		if err != nil {
			t.Fatal(err)
		}
		want := []ListedWorktree{
			{Path: "/a b", Head: oid, Ref: "refs/heads/x"},
			{Path: "/c", Head: oid, Detached: true, Locked: true},
			{Path: "/d", Ref: "refs/heads/y", Locked: true, Prunable: true, Why: "gitdir file points nowhere"},
			{Path: "/e", Bare: true},
		}
		if len(got) != len(want) {
			t.Fatalf("%+v", got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%q\n got %+v\nwant %+v", end, got[i], want[i])
			}
		}
	}
	if got, err := parseWorktrees("worktree /a\x00bare\x00later attribute\x00\x00", "\x00"); err != nil || len(got) != 1 {
		t.Errorf("what a later git adds is not skipped: %+v, %v", got, err)
	}
	for _, junk := range []string{
		"\x00\x00", "HEAD x\x00\x00", "worktree\x00worktree \x00\x00", "\xff\xfe", "worktree /a\x00\x00", "worktree /a\x00bare\x00",
		"worktree /a\x00HEAD x\x00\x00", "worktree /a\x00bare\x00HEAD " + oid + "\x00\x00", "worktree /a\x00HEAD " + oid + "\x00HEAD " + oid + "\x00\x00",
		"worktree /a\x00HEAD " + oid + "\x00branch refs/heads/x\x00detached\x00\x00", "worktree /a\x00bare\x00worktree /b\x00\x00",
	} {
		if got, err := parseWorktrees(junk, "\x00"); err == nil {
			t.Errorf("%q was read as %+v", junk, got)
		}
	}
	old := "worktree /a\nb\nHEAD " + oid + "\nbranch refs/heads/x\n\n" // git before 2.36 cannot say where a path ends
	if got, err := parseWorktrees(old, "\n"); err == nil {
		t.Errorf("%q was read as %+v", old, got)
	}
}

func TestHookVersions(t *testing.T) {
	for version, want := range map[string]bool{"2.25.0": true, "2.35.9": true, "2.36.0": false, "3.0": false, "2.39.5": false, "": false, "x.y": false} {
		if got := before236(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}
