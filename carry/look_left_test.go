//go:build unix

package carry

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWhatDoesNotComeIsNamed(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("nest/f", "f")
	r.write("swapped", "s")
	r.commit("c")
	r.git("init", "-q", "nest")
	r.git("init", "-q", "vendor/lib")
	r.write("vendor/lib/x", "x")
	r.git("worktree", "add", "-q", "-b", "other", r.path("trees/w1"))
	r.write(".env", "e")
	r.write("ignored/deep/m.js", "m")
	r.write("x.log", "l")
	r.write("run/pid", "p")
	makeFIFO(t, r.path("run/ctl"))
	r.remove("a.txt")
	makeFIFO(t, r.path("a.txt"))
	r.write("gone.txt", "g")
	r.git("add", "-N", "gone.txt")
	r.remove("gone.txt", "swapped")
	r.git("init", "-q", "swapped")
	r.git("-C", "swapped", "commit", "-q", "--allow-empty", "-m", "x")
	want := []string{
		".env ignored", "a.txt specialFile", "gone.txt intentToAddGone", "ignored ignored", "nest nestedRepository",
		"run/ctl specialFile", "swapped nestedRepository", "trees/w1 worktree", "vendor/lib nestedRepository", "x.log ignored",
	}
	child, plan, result, err := r.fork(Options{})
	if err != nil {
		t.Fatal(explain(err))
	}
	counts, err := Survey(context.Background(), openAt(t, r.top))
	must(t, err)
	for who, left := range map[string][]Left{"plan": plan.Left, "result": result.Left, "survey": counts.Left} {
		var got []string
		for _, l := range left {
			got = append(got, l.Path+" "+l.Reason)
		}
		if who == "survey" {
			got = append(got, "a.txt specialFile", "gone.txt intentToAddGone", "swapped nestedRepository")
			slices.Sort(got)
			got = slices.Compact(got)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\nwant\n%q", who, got, want)
		}
	}
	for _, name := range []string{"vendor/lib", "trees", "ignored", "nest/.git", "run/ctl"} {
		if _, err := os.Lstat(filepath.Join(child, name)); err == nil {
			t.Errorf("%s came", name)
		}
	}
	if _, err := os.Lstat(filepath.Join(child, "run/pid")); err != nil {
		t.Error(err)
	}
}

func TestKeptFilesOfARemovedIgnoredFolderCome(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write(".env", "old")
	r.write("ignored/deep/cfg", "cfg")
	r.git("add", "-f", ".env", "ignored")
	r.commit("mistake")
	must(t, os.Chmod(r.path(".env"), 0o600))
	r.write(".env", "new")
	r.git("rm", "-rq", "--cached", ".env", "ignored")
	child, result := r.carried()
	for name, want := range map[string]string{".env": "new", "ignored/deep/cfg": "cfg"} {
		if got, err := os.ReadFile(filepath.Join(child, name)); string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(child, ".env")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if len(result.Left) > 0 {
		t.Error("named though they came:", result.Left)
	}
}

func TestSubmodules(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	inner := newRepo(t)
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.top, "sub")
	r.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ../inner\n[submodule \"off\"]\n\tpath = off\n\turl = ../off\n")
	r.git("update-index", "--add", "--cacheinfo", "160000,1111111111111111111111111111111111111111,off")
	must(t, os.Mkdir(r.path("off"), 0o755))
	r.git("add", ".gitmodules")
	r.git("commit", "-q", "-m", "s")
	r.git("update-index", "--cacheinfo", "160000,2222222222222222222222222222222222222222,off")
	r.git("update-index", "--add", "--cacheinfo", "160000,2222222222222222222222222222222222222222,brand/new")
	must(t, os.MkdirAll(r.path("brand/new"), 0o755))
	r.write("sub/a.txt", "dirty")
	r.write("b.txt", "b")
	child, result := r.carried("sub")
	if len(result.Left) > 0 {
		t.Error(result.Left)
	}
	if got, err := os.ReadFile(child + "/sub/a.txt"); string(got) != "dirty" {
		t.Errorf("%q %v", got, err)
	}
	if got := gitIn(t, child, "ls-files", "-s", "off", "brand/new"); strings.Count(got, "160000 2222222222") != 2 {
		t.Error(got)
	}
}

func TestUnreadableIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	for _, name := range []string{"a.txt", "new.bin", "dir"} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.write("a.txt", "x")
			r.write("new.bin", "n")
			r.write("dir/f", "f")
			must(t, os.Chmod(r.path(name), 0))
			t.Cleanup(func() { os.Chmod(r.path(name), 0o755) })
			_, _, _, err := r.fork(Options{})
			if no, ok := err.(*Refusal); !ok || no.Code != "unreadable" || no.Args["path"] != name {
				t.Error(err)
			}
		})
	}
}

func TestLimitsAreExact(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("n1", "12345")
	r.write("n2", "12345")
	for limits, want := range map[Limits]string{
		{Files: 2, Bytes: 10}: "", {Files: 1}: "tooManyFiles", {Bytes: 9}: "tooManyBytes",
	} {
		plan, err := Look(context.Background(), openAt(t, r.top), openAt(t, r.top).Head, Options{Limits: limits})
		must(t, err)
		plan.Close()
		if got := code(plan.refusedError()); got != want {
			t.Errorf("%+v: %q, want %q", limits, got, want)
		}
	}
}

func (p *Plan) refusedError() error {
	if no := p.Refused(); no != nil {
		return no
	}
	return nil
}

func TestConflictIsRefused(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.git("checkout", "-q", "-b", "o")
	r.write("a.txt", "theirs")
	r.commit("t")
	r.git("checkout", "-q", "main")
	r.write("a.txt", "ours")
	r.commit("o")
	_, _ = tryGit(r.top, "merge", "-q", "o")
	before := snapshot(t, r.top)
	if _, _, _, err := r.fork(Options{}); code(err) != "unmerged" {
		t.Error(err)
	}
	if n, err := Survey(context.Background(), openAt(t, r.top)); err != nil || n.Conflicted != 1 {
		t.Error(n, err)
	}
	if after := snapshot(t, r.top); after != before {
		t.Error(difference(before, after))
	}
}

func TestUnstageKeepsTheIndexOfTheBase(t *testing.T) {
	t.Parallel()
	for name, state := range states {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			state(r)
			child, _, result, err := r.fork(Options{Unstage: true})
			if err != nil {
				t.Fatal(explain(err))
			}
			if got := gitIn(t, child, "diff-index", "--cached", "HEAD"); got != "" || result.Staged != 0 {
				t.Errorf("staged: %d %s", result.Staged, got)
			}
			disk := func(top string) string {
				out, err := exec.Command("sh", "-c", `cd "$1" && find . -path ./.git -prune -o ! -type d -print0 | LC_ALL=C sort -z | tr '\0' '|'`, "sh", top).Output()
				must(t, err)
				return string(out)
			}
			if name != "untracked .gitignore" && disk(r.top) != disk(child) {
				t.Errorf("files:\n%s\n%s", disk(r.top), disk(child))
			}
		})
	}
}

func TestSurveyCountsEachPathOnce(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "1")
	r.git("add", "a.txt")
	r.write("a.txt", "12")
	r.git("rm", "-q", "--cached", "src/b.txt")
	r.remove("docs/c.md")
	r.write("n", "123")
	before := snapshot(t, r.top)
	n, err := Survey(context.Background(), openAt(t, r.top))
	must(t, err)
	if n.Modified != 2 || n.New != 2 || n.Staged != 2 || n.Conflicted != 0 || n.Bytes != 2+6+3 {
		t.Errorf("got %+v", n)
	}
	if after := snapshot(t, r.top); after != before {
		t.Error(difference(before, after))
	}
}
