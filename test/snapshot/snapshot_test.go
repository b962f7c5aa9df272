package snapshot_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/snapshot"
)

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

// repository makes a main checkout p with changes of several kinds, and a linked worktree l.
func repository(t *testing.T) (top string) {
	t.Helper()
	top = t.TempDir()
	shell(t, top, `
		git init -q -b main p && cd p && mkdir src && printf 'a\n' >a.txt && printf 'b\n' >src/b.txt && printf '*.log\n' >.gitignore && git add . && git commit -q -m base
		printf 's\n' >>a.txt && git stash -q && git branch other && git worktree add -q -b l ../l
		printf 'x\n' >>a.txt; printf 'n\n' >new.txt; chmod 600 new.txt; ln -s a.txt ln; printf 'i\n' >x.log; mkdir e`)
	return top
}

func take(t *testing.T, dir string) snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLookingChangesNothing(t *testing.T) {
	top := repository(t)
	for _, dir := range []string{"p", "l"} {
		before := take(t, filepath.Join(top, dir))
		shell(t, filepath.Join(top, dir), `git --no-optional-locks status >/dev/null; cat a.txt >/dev/null`)
		if lines := snapshot.Diff(before, take(t, filepath.Join(top, dir))); len(lines) > 0 {
			t.Errorf("%s: %v", dir, lines)
		}
	}
}

func TestEachChangeIsSeen(t *testing.T) {
	for _, c := range []struct{ name, in, script string }{
		{"a file rewritten with the same bytes", "p", `cp -p a.txt k; mv k a.txt`},
		{"a file written in place with the same bytes and time", "p", `touch -r a.txt /tmp/$$; cat a.txt >/tmp/$$.c; cat /tmp/$$.c >a.txt; touch -r /tmp/$$ a.txt; rm /tmp/$$ /tmp/$$.c`},
		{"only a time stamp", "p", `touch a.txt`},
		{"a permission bit there and back", "p", `chmod 640 new.txt; chmod 600 new.txt`},
		{"a hard link to a file", "p", `ln a.txt ../hard`},
		{"a temporary file made and removed", "p", `: >src/tmp; rm src/tmp`},
		{"a temporary file made and removed at the top", "p", `: >tmp; rm tmp`},
		{"an untracked file removed", "p", `rm new.txt`},
		{"an ignored file removed", "p", `rm x.log`},
		{"an empty folder removed", "p", `rmdir e`},
		{"another link text", "p", `ln -sfn src ln`},
		{"an index refreshed", "p", `touch -d 2001-01-01 src/b.txt; git status >/dev/null`},
		{"an index written anew with the same bytes", "p", `cp -p .git/index k; mv k .git/index`},
		{"an index of a linked worktree", "l", `git update-index --assume-unchanged a.txt`},
		{"a new ref", "p", `git update-ref refs/x/y HEAD`},
		{"a new branch", "l", `git branch more`},
		{"a branch moved", "p", `git update-ref refs/heads/other $(git commit-tree -m m HEAD^{tree})`},
		{"refs packed", "p", `git pack-refs --all`},
		{"a branch deleted the loud way", "p", `git branch q; git branch -q -D q`},
		{"a stash entry dropped", "p", `git stash drop -q`},
		{"a reflog entry", "p", `git update-ref -m m --create-reflog HEAD $(git commit-tree -m m HEAD^{tree})`},
		{"an object written", "p", `printf 'lonely\n' | git hash-object -w --stdin >/dev/null`},
		{"a configuration key", "p", `git config a.b c`},
		{"a configuration key of another branch", "p", `git config branch.other.description d`},
		{"ORIG_HEAD", "p", `git update-ref ORIG_HEAD $(git commit-tree -m m HEAD^{tree})`},
		{"a lock left behind", "p", `: >.git/index.lock`},
		{"a lock left in the shared folder", "l", `: >../p/.git/config.lock`},
		{"HEAD on another branch", "p", `git symbolic-ref HEAD refs/heads/other`},
		{"HEAD of a linked worktree", "l", `git symbolic-ref HEAD refs/heads/other`},
		{"an exclude rule", "p", `echo x >>.git/info/exclude`},
		{"a hook", "p", `mkdir -p .git/hooks; echo x >.git/hooks/post-checkout`},
		{"a merge begun", "p", `git rev-parse HEAD >.git/MERGE_HEAD`},
		{"a worktree entry more", "p", `git worktree add -q --detach ../more HEAD`},
		{"a worktree entry pruned", "p", `git worktree remove ../l`},
		{"an empty folder of refs", "p", `mkdir .git/refs/heads/feat`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(repository(t), c.in)
			before := take(t, dir)
			shell(t, dir, c.script)
			if lines := snapshot.Diff(before, take(t, dir)); len(lines) == 0 {
				t.Error("not seen")
			}
		})
	}
}

func TestAForkIsAllowedAndNothingElse(t *testing.T) {
	for _, in := range []string{"p", "l"} {
		dir := filepath.Join(repository(t), in)
		before := take(t, dir)
		shell(t, dir, `git worktree add -q --no-track -b feat/x ../child HEAD; git config branch.feat/x.vscode-merge-base main; mkdir "$(git rev-parse --git-common-dir)/sidefork"`)
		allow := []snapshot.Allow{snapshot.Branch("feat/x"), snapshot.Worktrees()}
		if lines := snapshot.Diff(before, take(t, dir), allow...); len(lines) > 0 {
			t.Errorf("%s: a fork counted: %v", in, lines)
		}
		if lines := snapshot.Diff(before, take(t, dir), snapshot.Branch("feat/y")); len(lines) < 5 {
			t.Errorf("%s: a fork with another name was allowed: %v", in, lines)
		}
		shell(t, dir, `git worktree lock ../child; c="$(git rev-parse --git-common-dir)"; : >"$c/worktrees/l/locked"`)
		if lines := snapshot.Diff(before, take(t, dir), allow...); len(lines) == 0 || !strings.Contains(lines[0], "l/locked") {
			t.Errorf("%s: a change of another worktree's entry was allowed: %v", in, lines)
		}
	}
}

func TestForkTakenBackLeavesNothing(t *testing.T) {
	dir := filepath.Join(repository(t), "p")
	before := take(t, dir)
	shell(t, dir, `
		git worktree add -q --no-track -b y ../child HEAD; git config branch.y.vscode-merge-base main
		git worktree remove --force ../child; git update-ref -d refs/heads/y "$(git rev-parse y)"; git config --remove-section branch.y`)
	if lines := snapshot.Diff(before, take(t, dir)); len(lines) > 0 {
		t.Errorf("left: %v", lines)
	}
}

func TestChildInsideTheParentIsNotTheParents(t *testing.T) {
	dir := filepath.Join(repository(t), "p")
	before := take(t, dir)
	shell(t, dir, `git worktree add -q -b y .worktrees/deep/y HEAD; printf z >.worktrees/deep/y/z`)
	allow := []snapshot.Allow{snapshot.Branch("y"), snapshot.Worktrees()}
	if lines := snapshot.Diff(before, take(t, dir), allow...); len(lines) > 0 {
		t.Errorf("the child counted: %v", lines)
	}
	shell(t, dir, `: >.worktrees/z`)
	if lines := snapshot.Diff(before, take(t, dir), allow...); len(lines) != 1 {
		t.Errorf("want .worktrees/z alone: %v", lines)
	}
}

func TestBareRepositoriesAndPlainFoldersAreRead(t *testing.T) {
	top := repository(t)
	shell(t, top, `git clone -q --bare p bare.git; mkdir plain; : >plain/x`)
	for dir, change := range map[string]string{"bare.git": `git -C bare.git branch more`, "plain": `rm plain/x`} {
		before := take(t, filepath.Join(top, dir))
		if lines := snapshot.Diff(before, take(t, filepath.Join(top, dir))); len(lines) > 0 {
			t.Errorf("%s: %v", dir, lines)
		}
		shell(t, top, change)
		if lines := snapshot.Diff(before, take(t, filepath.Join(top, dir))); len(lines) == 0 {
			t.Errorf("%s: %s not seen", dir, change)
		}
	}
}
