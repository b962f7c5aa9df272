package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenReadsAWorkspaceFromItsTopAndFromInside(t *testing.T) {
	top := newRepo(t)
	head := run(t, top, "rev-parse", "HEAD")
	for _, dir := range []string{top, filepath.Join(top, "src")} {
		w := mustOpen(t, dir)
		want := Worktree{Path: top, GitDir: filepath.Join(top, ".git"), CommonDir: filepath.Join(top, ".git"), Head: head, Branch: "main", Main: true}
		if w != want {
			t.Errorf("Open(%s)\n got %+v\nwant %+v", dir, w, want)
		}
	}
}

func TestOpenFollowsALinkToTheWorkspace(t *testing.T) {
	top := newRepo(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(top, link); err != nil {
		t.Fatal(err)
	}
	if w := mustOpen(t, link); w.Path != top || w.CommonDir != filepath.Join(top, ".git") {
		t.Errorf("%+v", w)
	}
}

func TestOpenOfALinkedWorktreeReadsItsOwnHead(t *testing.T) {
	top := newRepo(t)
	linked := top + "-linked"
	run(t, top, "worktree", "add", "-q", "-b", "feat/x", linked)
	write(t, filepath.Join(linked, "f"), "f\n")
	run(t, linked, "add", "f")
	run(t, linked, "commit", "-q", "-m", "f")
	w := mustOpen(t, linked)
	if w.Main || w.Branch != "feat/x" || w.Head != run(t, linked, "rev-parse", "HEAD") || w.Head == run(t, top, "rev-parse", "HEAD") {
		t.Errorf("%+v", w)
	}
	if w.CommonDir != filepath.Join(top, ".git") || w.GitDir != filepath.Join(top, ".git", "worktrees", "parent-linked") {
		t.Errorf("%+v", w)
	}
	run(t, top, "worktree", "lock", "--reason", "a disk", linked)
	if w := mustOpen(t, linked); !w.Locked || w.Why != "a disk" {
		t.Errorf("locked: %+v", w)
	}
}

func TestOpenTakesPathsWithLineEndsAndQuotes(t *testing.T) {
	top := newRepo(t)
	odd := filepath.Join(filepath.Dir(top), "a\n'b\" --x\n c")
	if err := os.Rename(top, odd); err != nil {
		t.Fatal(err)
	}
	w := mustOpen(t, odd)
	if w.Path != odd || w.CommonDir != filepath.Join(odd, ".git") || w.Branch != "main" {
		t.Errorf("%+v", w)
	}
	list, err := List(context.Background(), odd)
	if err != nil || len(list) != 1 || list[0].Path != odd || list[0].Missing {
		t.Errorf("List: %+v %v", list, err)
	}
}

func TestOpenOfASHA256RepositoryHasLongIDs(t *testing.T) {
	w := mustOpen(t, newRepo(t, "--object-format=sha256"))
	if len(w.Head) != 64 || w.Eligible() != nil {
		t.Errorf("%+v", w)
	}
}

func TestOpenTellsDetachedUnbornAndBare(t *testing.T) {
	top := newRepo(t)
	run(t, top, "checkout", "-q", "--detach")
	if w := mustOpen(t, top); !w.Detached || w.Branch != "" || w.Head == "" || code(w.Eligible()) != "detached" {
		t.Errorf("detached: %+v", w)
	}
	unborn := filepath.Join(t.TempDir(), "unborn")
	run(t, "/", "init", "-q", "-b", "first/one", unborn)
	if w := mustOpen(t, unborn); w.Head != "" || w.Branch != "first/one" || w.Detached || code(w.Eligible()) != "unborn" {
		t.Errorf("unborn: %+v", w)
	}
	bare := filepath.Join(t.TempDir(), "b.git")
	run(t, "/", "clone", "-q", "--bare", top, bare)
	if w := mustOpen(t, bare); !w.Bare || !w.Main || code(w.Eligible()) != "bare" {
		t.Errorf("bare: %+v", w)
	}
}

func TestOpenOfABareLayout(t *testing.T) {
	top := newRepo(t)
	project := filepath.Join(filepath.Dir(top), "project")
	run(t, "/", "clone", "-q", "--bare", top, filepath.Join(project, ".bare"))
	write(t, filepath.Join(project, ".git"), "gitdir: ./.bare\n")
	run(t, project, "worktree", "add", "-q", filepath.Join(project, "main"), "main")
	if w := mustOpen(t, project); code(w.Eligible()) != "bare" {
		t.Errorf("project: %+v", w)
	}
	w := mustOpen(t, filepath.Join(project, "main"))
	if w.Eligible() != nil || w.Main || w.Bare || w.CommonDir != filepath.Join(project, ".bare") {
		t.Errorf("worktree: %+v %v", w, w.Eligible())
	}
	for _, dir := range []string{project, filepath.Join(project, "main"), filepath.Join(project, ".bare")} {
		list, err := List(context.Background(), dir)
		if err != nil || len(list) != 2 || !list[0].Bare || !list[0].Main || list[1].Path != filepath.Join(project, "main") || list[1].GitDir != w.GitDir {
			t.Errorf("List(%s): %+v %v", dir, list, err)
		}
	}
	if got, want := FreeFolder(mustOpen(t, project), "", "a/b"), project+"-worktrees"+"/a-b"; got != want {
		t.Errorf("FreeFolder: %s", got)
	}
	if got := DefaultBranch(context.Background(), mustOpen(t, project)); got != "main" {
		t.Errorf("DefaultBranch: %q", got)
	}
}

func TestOpenRefusesWithTheRightReason(t *testing.T) {
	top := newRepo(t)
	file := filepath.Join(top, "a.txt")
	for dir, want := range map[string]string{
		filepath.Join(top, "nowhere"):       "missing",
		file:                                "notAFolder",
		t.TempDir():                         "notARepository",
		filepath.Join(top, ".git"):          "notARepository",
		filepath.Join(top, ".git", "hooks"): "notARepository",
	} {
		if _, err := Open(context.Background(), dir); codeOf(err) != want {
			t.Errorf("Open(%s): %v, want %s", dir, err, want)
		}
	}
}

func TestOpenNeverTakesAPlantedRepositoryForAWorkspace(t *testing.T) {
	top := newRepo(t)
	evil := filepath.Join(top, "vendor", "evil")
	run(t, top, "init", "-q", "--bare", evil)
	run(t, top, "config", "-f", filepath.Join(evil, "config"), "core.bare", "false")
	run(t, top, "config", "-f", filepath.Join(evil, "config"), "core.worktree", ".")
	w, err := Open(context.Background(), evil)
	if err == nil && w.Eligible() == nil {
		t.Fatalf("%+v", w)
	}
}

func TestOpenSaysThatSomebodyElseOwnsTheRepository(t *testing.T) {
	top := newRepo(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can give a repository to somebody else")
	}
	for _, path := range []string{top, filepath.Join(top, ".git")} {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Open(context.Background(), top)
	no, _ := err.(*Refusal)
	if code(no) != "unsafeOwner" || no.Args["path"] != top {
		t.Fatalf("%+v", err)
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("HOME"), ".gitconfig")); err == nil {
		t.Error("the user's configuration was written")
	}
}

func TestOpenSaysThatGitIsMissingOrTooOld(t *testing.T) {
	top := newRepo(t)
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	if _, err := Open(context.Background(), top); codeOf(err) != "gitMissing" {
		t.Errorf("missing: %v", err)
	}
	// git 2.24 repeats the flag that it does not know.
	old := "#!/bin/sh\ncase \"$*\" in *rev-parse*) for a; do case $a in rev-parse) on=1;; --show-object-format|--sidefork-*) [ \"$on\" ] && echo \"$a\";; esac; done; exit 128;; *) echo git version 2.24.1;; esac\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(old), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Open(context.Background(), top)
	if no, _ := err.(*Refusal); code(no) != "gitTooOld" || no.Args["version"] != "2.24.1" {
		t.Errorf("old: %v", err)
	}
}

func TestOpenIsNotLedAwayByTheEnvironment(t *testing.T) {
	other := newRepo(t)
	top := newRepo(t)
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	if w := mustOpen(t, top); w.Path != top {
		t.Errorf("%+v", w)
	}
}

func TestOpenEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, newRepo(t)); err != context.Canceled {
		t.Errorf("%v", err)
	}
}

func TestEligibleNamesTheOperationBeforeTheDetachedHead(t *testing.T) {
	top := newRepo(t)
	gitDir := filepath.Join(top, ".git")
	head := run(t, top, "rev-parse", "HEAD") + "\n"
	for name, want := range map[string]string{
		"rebase-merge/": "rebase", "rebase-apply/": "rebase", "rebase-apply/applying": "git am", "MERGE_HEAD": "merge",
		"CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert", "BISECT_LOG": "bisect", "sequencer/": "cherry-pick or revert",
	} {
		path := filepath.Join(gitDir, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
		} else {
			write(t, path, head)
		}
		for _, detached := range []bool{false, true} {
			w := mustOpen(t, top)
			w.Detached = detached
			if no := w.Eligible(); code(no) != "operationInProgress" || no.Args["operation"] != want {
				t.Errorf("%s: %+v", name, no)
			}
		}
		os.RemoveAll(filepath.Join(gitDir, strings.Split(name, "/")[0]))
	}
	if no := mustOpen(t, top).Eligible(); no != nil {
		t.Errorf("nothing in progress: %v", no)
	}
}

func TestEligibleRefusesARepositoryWhoseChildrenActOnTheParent(t *testing.T) {
	top := newRepo(t)
	run(t, top, "config", "core.worktree", top)
	if no := mustOpen(t, top).Eligible(); no != nil { // git leaves core.worktree out of account in linked worktrees
		t.Errorf("core.worktree alone: %v", no)
	}
	run(t, top, "config", "extensions.worktreeConfig", "true")
	if no := mustOpen(t, top).Eligible(); code(no) != "notItself" {
		t.Errorf("%v", no)
	}
}
