package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckFolder(t *testing.T) {
	top := newRepo(t)
	w := mustOpen(t, top)
	beside := filepath.Dir(top)
	link := func(name, to string) string {
		path := filepath.Join(beside, name)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty := filepath.Join(beside, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, top, "worktree", "add", "-q", "-b", "gone", filepath.Join(beside, "gone"))
	os.RemoveAll(filepath.Join(beside, "gone"))
	run(t, top, "worktree", "add", "-q", "-b", "sibling", filepath.Join(beside, "sibling"))
	write(t, filepath.Join(beside, "full", "precious.txt"), "precious")
	link("loop", filepath.Join(beside, "loop2"))
	link("loop2", filepath.Join(beside, "loop"))
	link("dangling", filepath.Join(beside, "nowhere"))
	link("toEmpty", empty)
	link("toGit", filepath.Join(top, ".git"))
	for path, want := range map[string]string{
		filepath.Join(beside, "new"):               "",
		filepath.Join(beside, "deep", "er", "new"): "",
		empty:                                         "",
		filepath.Join(beside, "toEmpty"):              "",
		filepath.Join(beside, "toEmpty", "x"):         "",
		filepath.Join(top, ".worktrees", "child"):     "", // 074
		filepath.Join(beside, "sibling", "nested"):    "",
		filepath.Join(beside, "full"):                 "folderTaken", // 070
		filepath.Join(beside, "full", "precious.txt"): "folderTaken",
		top:                               "folderTaken",
		filepath.Join(beside, "gone"):     "folderTaken",
		filepath.Join(beside, "dangling"): "folderTaken",
		filepath.Join(beside, "full", "precious.txt", "x"):  "badFolder",
		filepath.Join(beside, "loop", "x"):                  "badFolder",
		filepath.Join(top, ".git", "x"):                     "badFolder",
		filepath.Join(top, ".GIT", "x"):                     "badFolder",
		filepath.Join(beside, "toGit", "x"):                 "badFolder",
		filepath.Join(beside, "x", ".git"):                  "badFolder",
		"relative/path":                                     "badFolder",
		"":                                                  "badFolder",
		filepath.Join(beside, "a\x00b"):                     "badFolder",
		filepath.Join(beside, strings.Repeat("x", 256)):     "badFolder",
		filepath.Join(beside, strings.Repeat("xxxx/", 819)): "badFolder",
	} {
		if no := CheckFolder(path, w); code(no) != want {
			t.Errorf("%.80q: %+v, want %s", path, no, want)
		}
	}
}

func TestCheckFolderRefusesAFolderThatCannotBeWritten(t *testing.T) {
	top := newRepo(t)
	closed := filepath.Join(filepath.Dir(top), "closed")
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	if no := CheckFolder(filepath.Join(closed, "x"), mustOpen(t, top)); code(no) != "badFolder" {
		t.Errorf("%+v", no)
	}
}

func TestFreeFolderStandsBesideTheMainCheckout(t *testing.T) {
	top := newRepo(t)
	w := mustOpen(t, top)
	if got := FreeFolder(w, "", "feat/one"); got != top+"-worktrees/feat-one" {
		t.Errorf("%s", got)
	}
	write(t, top+"-worktrees/x/file", "")
	write(t, top+"-worktrees/x-2", "")
	if got := FreeFolder(w, "", "x"); got != top+"-worktrees/x-3" {
		t.Errorf("numbered: %s", got)
	}
	run(t, top, "worktree", "add", "-q", "-b", "y", top+"-worktrees/y")
	os.RemoveAll(top + "-worktrees/y")
	if got := FreeFolder(w, "", "y"); got != top+"-worktrees/y-2" {
		t.Errorf("registered: %s", got)
	}
	if got := FreeFolder(w, "../{name}", "z"); got != filepath.Join(filepath.Dir(top), "z") {
		t.Errorf("relative: %s", got)
	}
	if got := FreeFolder(w, "{main}/.worktrees/{name}", "z"); got != top+"/.worktrees/z" {
		t.Errorf("pattern: %s", got)
	}
}
