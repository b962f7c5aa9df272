package compare_test

import (
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/compare"
)

// pair makes a parent with one of every ordinary state and a child that is a perfect copy of it, by plain git and files.
func pair(t *testing.T) (parent, child string) {
	t.Helper()
	top := t.TempDir()
	parent, child = filepath.Join(top, "p"), filepath.Join(top, "c")
	shell(t, top, `
		git init -q -b main p && cd p && mkdir -p src docs
		printf 'one\ntwo\n' >a.txt; printf 'alpha\n' >src/b.txt; printf 'doc\n' >docs/c.md; printf '#!/bin/sh\n' >run.sh; chmod 755 run.sh
		printf '*.log\n/ignored/\n.env\n' >.gitignore; printf 'K=1\n' >.env; git add -A; git add -f .env; git commit -q -m base
		git worktree add -q -b c ../c HEAD
		git rm -q --cached .env; chmod 600 .env`)
	for _, dir := range []string{parent, child} {
		shell(t, dir, `
			printf 'edited\n' >a.txt; printf 'staged\n' >st.txt; git add st.txt; printf 'later\n' >>st.txt
			printf 'n\n' >new.txt; chmod 600 new.txt; ln -s a.txt ln; mkdir -m 700 dir; printf 'd\n' >dir/d.txt; printf 'ita\n' >ita; git add -N ita
			git update-index --assume-unchanged docs/c.md; git rm -q --cached --ignore-unmatch .env; chmod 600 .env`)
	}
	shell(t, parent, `mkdir e; printf 'l\n' >x.log; mkdir ignored; printf 'i\n' >ignored/i; git worktree add -q --detach inner HEAD`)
	return parent, child
}

func shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_AUTHOR_DATE=1700000000 +0000",
		"GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid", "GIT_COMMITTER_DATE=1700000000 +0000",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
}

var all = compare.Options{Index: true, Submodules: true, FolderModes: true}

func TestPerfectCopyHasNoDifference(t *testing.T) {
	parent, child := pair(t)
	if found := compare.Trees(parent, child, all); len(found) > 0 {
		t.Errorf("differences in a perfect copy: %v", found)
	}
}

func TestEachKindOfDifferenceIsSeen(t *testing.T) {
	for _, c := range []struct {
		name, script string // run in the child; $p is the parent
		want         compare.Kind
		path         string
	}{
		{"a byte more in a tracked file", `printf X >>src/b.txt`, compare.Bytes, "src/b.txt"},
		{"another byte of the same size and time", `touch -r src/b.txt k; printf 'Alpha\n' >src/b.txt; touch -r k src/b.txt; rm k`, compare.Bytes, "src/b.txt"},
		{"another byte under assume-unchanged", `printf 'DOC\n' >docs/c.md`, compare.Bytes, "docs/c.md"},
		{"a byte in an untracked file", `printf X >>new.txt`, compare.Bytes, "new.txt"},
		{"a missing untracked file", `rm new.txt`, compare.Lost, "new.txt"},
		{"a missing tracked file", `rm run.sh`, compare.Lost, "run.sh"},
		{"a missing file that was untracked and ignored just now", `rm .env`, compare.Lost, ".env"},
		{"an extra file", `printf x >extra`, compare.Extra, "extra"},
		{"an extra link", `ln -s a.txt extra`, compare.Extra, "extra"},
		{"an extra FIFO", `mkfifo extra`, compare.Extra, "extra"},
		{"an exec bit of a tracked file", `chmod +x src/b.txt`, compare.Mode, "src/b.txt"},
		{"0600 became 0644", `chmod 644 new.txt`, compare.Mode, "new.txt"},
		{"a setuid bit of an untracked file", `chmod 4600 new.txt`, compare.Mode, "new.txt"},
		{"a private folder became public", `chmod 755 dir`, compare.FolderMode, "dir"},
		{"another link text", `ln -sfn b.txt ln`, compare.Link, "ln"},
		{"a link became a file", `rm ln; cp a.txt ln`, compare.Type, "ln"},
		{"a file became a folder", `rm new.txt; mkdir new.txt; printf 'n\n' >new.txt/n`, compare.Type, "new.txt"},
		{"a folder became a link", `mv dir other; ln -s other dir`, compare.Lost, "dir/d.txt"},
		{"a hard link to the parent", `rm new.txt; ln "$p/new.txt" new.txt`, compare.SharedInode, "new.txt"},
		{"a staged file that is not staged", `git reset -q -- st.txt`, compare.Entry, "st.txt"},
		{"another staged blob", `cp st.txt k; printf Z >st.txt; git add st.txt; cp k st.txt; rm k`, compare.Entry, "st.txt"},
		{"a staged deletion that is none", `git reset -q -- .env`, compare.Entry, ".env"},
		{"intent-to-add became an empty staged file", `git update-index --force-remove ita; git update-index --add --cacheinfo 100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,ita`, compare.Staged, "ita"},
		{"a skip-worktree bit more", `git update-index --skip-worktree src/b.txt`, compare.Entry, "src/b.txt"},
		{"an assume-unchanged bit less", `git update-index --no-assume-unchanged docs/c.md`, compare.Entry, "docs/c.md"},
		{"another mode in the index", `git update-index --chmod=+x src/b.txt`, compare.Entry, "src/b.txt"},
		{"an unmerged entry", `printf '0 0000000000000000000000000000000000000000\ta.txt\n100644 %s 1\ta.txt\n100644 %s 2\ta.txt\n' $(git rev-parse :a.txt :a.txt) | git update-index --index-info`, compare.Entry, "a.txt"},
		{"another commit", `git commit -q --allow-empty -m more`, compare.Head, ""},
		{"a child that is gone", `rm -r "$PWD"`, compare.Lost, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			parent, child := pair(t)
			shell(t, child, "p="+parent+"; "+c.script)
			found := compare.Trees(parent, child, all)
			if !slices.ContainsFunc(found, func(d compare.Difference) bool { return d.Kind == c.want && d.Path == c.path }) {
				t.Errorf("want %s %q, found %v", c.want, c.path, found)
			}
		})
	}
}

func TestIgnoredFilesAreLeftOutByTheParentsRules(t *testing.T) {
	parent, child := pair(t)
	shell(t, child, `printf 'i\n' >y.log; mkdir ignored; printf 'x\n' >ignored/x`)
	if found := compare.Trees(parent, child, all); len(found) > 0 {
		t.Errorf("ignored files counted: %v", found)
	}
	shell(t, child, `printf 'z\n' >.git-exclude; git rev-parse --git-path info/exclude >/dev/null; printf 'own rule\n' >.gitignore; rm .git-exclude`)
	if found := compare.Trees(parent, child, all); len(found) != 1 || found[0].Path != ".gitignore" {
		t.Errorf("the child's rules counted: %v", found)
	}
}

func TestNoSettingHidesAFile(t *testing.T) {
	parent, child := pair(t)
	shell(t, parent, `git config status.showUntrackedFiles no; git config core.ignoreCase true; git config core.fsmonitor /bin/false; git config diff.external /bin/false; git config color.ui always; git config core.quotePath true`)
	shell(t, child, `rm new.txt`)
	if found := compare.Trees(parent, child, all); len(found) != 1 || found[0].Kind != compare.Lost {
		t.Errorf("want one lost file, found %v", found)
	}
}

func TestEmptyFoldersCountOnlyWhenAskedFor(t *testing.T) {
	parent, child := pair(t)
	opts := all
	opts.EmptyFolders = true
	if found := compare.Trees(parent, child, opts); len(found) != 1 || found[0].Kind != compare.EmptyFolder || found[0].Path != "e" {
		t.Errorf("want the empty folder e, found %v", found)
	}
}

func TestLeftPathsAreNotCompared(t *testing.T) {
	parent, child := pair(t)
	shell(t, child, `rm -r dir new.txt`)
	opts := all
	opts.Leave = []string{"dir/", "new.txt"}
	if found := compare.Trees(parent, child, opts); len(found) > 0 {
		t.Errorf("left paths counted: %v", found)
	}
}

func TestFileModeFalseMakesExecBitsMeaningless(t *testing.T) {
	parent, child := pair(t)
	shell(t, parent, `git config core.fileMode false`)
	shell(t, child, `chmod +x a.txt; chmod 644 new.txt`)
	if found := compare.Trees(parent, child, all); len(found) != 1 || found[0].Path != "new.txt" {
		t.Errorf("want new.txt alone, found %v", found)
	}
}

func TestSpecialFilesOfTheParentNeedNotCome(t *testing.T) {
	parent, child := pair(t)
	shell(t, parent, `mkfifo fifo`)
	listener, err := net.Listen("unix", filepath.Join(parent, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if found := compare.Trees(parent, child, all); len(found) > 0 {
		t.Errorf("special files counted: %v", found)
	}
}

func TestSubmodulesAreWorktreesOfTheirOwn(t *testing.T) {
	top := t.TempDir()
	shell(t, top, `
		git init -q -b main s && printf 's\n' >s/s.txt && git -C s add . && git -C s commit -q -m s
		git init -q -b main p && git -C p -c protocol.file.allow=always submodule --quiet add "$PWD/s" sub && git -C p commit -q -m p
		git -C p worktree add -q -b c ../c HEAD
		printf 'edited\n' >p/sub/s.txt`)
	parent, child := filepath.Join(top, "p"), filepath.Join(top, "c")
	files := compare.Options{Index: true}
	if found := compare.Trees(parent, child, files); len(found) > 0 {
		t.Errorf("without submodules: %v", found)
	}
	if found := compare.Trees(parent, child, all); len(found) != 1 || found[0].Kind != compare.Lost || found[0].Path != "sub" {
		t.Errorf("a submodule that did not come: %v", found)
	}
	shell(t, top, `git -C p/sub worktree add -q --detach "$PWD/c/sub" HEAD`)
	if found := compare.Trees(parent, child, all); len(found) != 1 || found[0].Kind != compare.Bytes || found[0].Path != "sub/s.txt" {
		t.Errorf("an edit in the submodule that did not come: %v", found)
	}
	shell(t, top, `printf 'edited\n' >c/sub/s.txt`)
	if found := compare.Trees(parent, child, all); len(found) > 0 {
		t.Errorf("equal submodules: %v", found)
	}
}

func TestPathsLongerThanTheSystemAllowsAreCompared(t *testing.T) {
	parent, child := pair(t)
	deep := func(top, text string) {
		folder, err := os.OpenRoot(top)
		if err != nil {
			t.Fatal(err)
		}
		for range 25 {
			name := strings.Repeat("d", 200)
			if err := folder.Mkdir(name, 0o755); err != nil && !os.IsExist(err) {
				t.Fatal(err)
			}
			inner, err := folder.OpenRoot(name)
			folder.Close()
			if err != nil {
				t.Fatal(err)
			}
			folder = inner
		}
		defer folder.Close()
		if err := folder.WriteFile("f", []byte(text), fs.FileMode(0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if path := parent + "/" + strings.Repeat(strings.Repeat("d", 200)+"/", 25); len(path) < 4096 {
		t.Fatal("the path is not long enough")
	}
	deep(parent, "deep")
	deep(child, "DEEP")
	opts := all
	opts.Index = false
	found := compare.Trees(parent, child, opts)
	if len(found) != 1 || found[0].Kind != compare.Bytes {
		t.Errorf("want one difference in bytes, found %d", len(found))
	}
	shell(t, filepath.Dir(parent), `rm -rf p c`)
}

func TestComparisonWritesNothing(t *testing.T) {
	parent, child := pair(t)
	shell(t, parent, `touch -d '2001-01-01' src/b.txt docs/c.md; : >.git/index.lock`)
	index := filepath.Join(parent, ".git", "index")
	before, _ := os.Stat(index)
	if found := compare.Trees(parent, child, all); len(found) > 0 {
		t.Errorf("touched files counted: %v", found)
	}
	if after, _ := os.Stat(index); !after.ModTime().Equal(before.ModTime()) || !os.SameFile(before, after) {
		t.Error("the parent's index was written")
	}
}
