//go:build unix

package carry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/test/template"
)

// repo is a real repository of a test, with nothing of the user's around it.
type repo struct {
	testing.TB
	top string
}

func newRepo(t testing.TB, initArgs ...string) *repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, filepath.Join(dir, "parent")}
	must(t, base(r.top, strings.Join(initArgs, " ")))
	return r
}

// base is the repository of all these tests, by the arguments that git init got.
var base = template.Of(func(top, initArgs string) error {
	git := func(args ...string) error { _, err := tryGit(top, args...); return err }
	err := git(append([]string{"init", "-q", "-b", "main"}, strings.Fields(initArgs)...)...)
	for name, content := range map[string]string{
		"a.txt": "one\ntwo\nthree\n", "src/b.txt": "alpha\n", "docs/c.md": "doc\n", "run.sh": "#!/bin/sh\necho hi\n", ".gitignore": "*.log\n/ignored/\n.env\n",
	} {
		full := filepath.Join(top, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(content), 0o644))
	}
	return errors.Join(err, os.Chmod(filepath.Join(top, "run.sh"), 0o755), git("add", "-A"), git("commit", "-q", "-m", "base"))
})

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (r *repo) path(name string) string { return filepath.Join(r.top, name) }

func (r *repo) write(name, content string) {
	r.Helper()
	must(r, os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
	must(r, os.WriteFile(r.path(name), []byte(content), 0o644))
}

func (r *repo) remove(names ...string) {
	r.Helper()
	for _, name := range names {
		must(r, os.RemoveAll(r.path(name)))
	}
}

func (r *repo) link(text, name string) { r.Helper(); must(r, os.Symlink(text, r.path(name))) }

func (r *repo) commit(message string) {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", message)
}

func (r *repo) git(args ...string) string { r.Helper(); return gitIn(r, r.top, args...) }

func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %q: %v", args, err)
	}
	return out
}

func tryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "maintenance.auto=false"}, args...)...) // two processes after each commit
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000",
		"GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.String())
	}
	return string(out), err
}

// openAt opens a worktree whose files are older than a tick of the clock: younger ones are looked at once more.
func openAt(t testing.TB, dir string) worktree.Worktree {
	t.Helper()
	time.Sleep(2 * tick)
	w := worktree.Worktree{Path: dir}
	out := strings.Split(gitIn(t, dir, "rev-parse", "--absolute-git-dir", "--git-common-dir", "HEAD"), "\n")
	w.GitDir, w.CommonDir, w.Head = out[0], out[1], out[2]
	if !filepath.IsAbs(w.CommonDir) {
		w.CommonDir = filepath.Join(dir, w.CommonDir)
	}
	return w
}

// steps keeps what was recorded.
type steps []Step

func (s *steps) Will(step Step) error { *s = append(*s, step); return nil }

// fork makes a child with plain git and carries into it.
func (r *repo) fork(opts Options) (child string, plan *Plan, result *Result, err error) {
	r.Helper()
	at := openAt(r, r.top)
	plan, err = Look(context.Background(), at, at.Head, opts)
	must(r, err)
	r.Cleanup(plan.Close)
	child = filepath.Join(filepath.Dir(r.top), "child")
	if no := plan.Refused(); no != nil {
		return child, plan, nil, no
	}
	made := r.makeChild(plan, child)
	result, err = plan.Into(context.Background(), made, new(steps), nil)
	return child, plan, result, err
}

// makeChild makes a child for a plan as an Operation does, without its journal.
func (r *repo) makeChild(plan *Plan, child string) worktree.Worktree {
	r.Helper()
	args := []string{"-c", "core.hooksPath=/dev/null", "worktree", "add", "-q", "-b", "child"}
	if plan.populates() {
		args = append(args, "--no-checkout")
	}
	r.git(append(args, child, "HEAD")...)
	made := openAt(r, child)
	if plan.populates() {
		filled, err := plan.fill(context.Background(), child)
		must(r, err)
		must(r, filled.checkOut(context.Background(), made, nil))
	}
	return made
}

// carried forks and demands that the child is the parent, and the parent what it was.
func (r *repo) carried(but ...string) (child string, result *Result) {
	r.Helper()
	before := snapshot(r, r.top)
	child, plan, result, err := r.fork(Options{})
	if err != nil {
		r.Fatalf("the carry failed: %v", explain(err))
	}
	if after := snapshot(r, r.top); before != after {
		r.Fatalf("the parent was changed:\n%s", difference(before, after))
	}
	if d := compareTrees(r, r.top, child, but); d != "" {
		r.Fatalf("parent (-) and child (+) differ:\n%s", d)
	}
	if result.Numbers != plan.Numbers {
		r.Fatalf("the result's numbers %+v are not the plan's %+v", result.Numbers, plan.Numbers)
	}
	return child, result
}

func explain(err error) string {
	if no, ok := err.(*Refusal); ok {
		return fmt.Sprintf("%s %v %s", no.Code, no.Args, no.Detail)
	}
	return err.Error()
}

// compareTrees lists what is not the same in two worktrees: every path on disk that is not ignored (walked, no git
// setting can hide one), and every index entry with its flags. It shares nothing with the code that it judges.
func compareTrees(t testing.TB, parent, child string, but []string) string {
	t.Helper()
	disk := walked(t, parent, but)
	there := walked(t, child, but)
	both := maps.Clone(disk)
	maps.Copy(both, there)
	trusted := strings.TrimSpace(gitIn(t, parent, "config", "core.fileMode")) != "false"
	ignored := ignoredOf(parent, slices.Sorted(maps.Keys(both)))
	return difference(describe(t, parent, disk, ignored, trusted, but), describe(t, child, there, ignored, trusted, but))
}

// walked is every path below a worktree but its git folder, and but what does not count.
func walked(t testing.TB, top string, but []string) map[string]fs.FileInfo {
	t.Helper()
	kinds := map[string]fs.FileInfo{}
	must(t, filepath.WalkDir(top, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(top, full)
		if name == ".git" && d.IsDir() || slices.Contains(but, name) && d.IsDir() {
			return filepath.SkipDir
		}
		if name == "." || name == ".git" || slices.Contains(but, name) {
			return nil
		}
		kinds[name], err = d.Info()
		return err
	}))
	return kinds
}

func describe(t testing.TB, top string, disk map[string]fs.FileInfo, ignored map[string]bool, trusted bool, but []string) string {
	t.Helper()
	var lines []string
	tracked := map[string]bool{}
	for line := range strings.SplitSeq(gitIn(t, top, "ls-files", "-s", "-v", "-z"), "\x00") {
		_, name, _ := strings.Cut(line, "\t")
		tracked[name] = true
		if !slices.Contains(but, name) {
			lines = append(lines, fmt.Sprintf("index %q", line))
		}
	}
	for name, info := range disk {
		switch {
		case ignored[name] && !tracked[name] || info.IsDir():
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := os.Readlink(filepath.Join(top, name))
			must(t, err)
			lines = append(lines, fmt.Sprintf("disk %q link %q", name, text))
		case info.Mode().IsRegular():
			content, err := os.ReadFile(filepath.Join(top, name))
			must(t, err)
			mode := (info.Mode() &^ fs.ModeType).String()
			if tracked[name] {
				mode = fmt.Sprintf("x%v", info.Mode().Perm()&0o100 != 0 && trusted)
			}
			lines = append(lines, fmt.Sprintf("disk %q %s %x", name, mode, sha256.Sum256(content)))
		}
	}
	lines = append(lines, "head "+gitIn(t, top, "rev-parse", "HEAD"))
	return strings.Join(lines, "\n")
}

func ignoredOf(top string, names []string) map[string]bool {
	cmd := exec.Command("git", "check-ignore", "-z", "--stdin")
	cmd.Dir, cmd.Stdin = top, strings.NewReader(strings.Join(names, "\x00"))
	out, _ := cmd.Output() // exit 1: none
	ignored := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		ignored[name] = true
	}
	return ignored
}

// snapshot is everything of a worktree that a carry may not touch: bytes, modes, times and inodes of its files, its
// index and its own git files.
func snapshot(t testing.TB, top string) string {
	t.Helper()
	var lines []string
	must(t, filepath.WalkDir(top, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(top, full)
		if strings.HasPrefix(name, ".git/") && d.IsDir() && slices.Contains([]string{"objects", "worktrees", "refs", "logs", "sidefork"}, name[5:]) {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil || name == ".git" {
			return err
		}
		line := fmt.Sprintf("%q %v %d %d", name, info.Mode(), info.ModTime().UnixNano(), inodeOf(info))
		if info.Mode().IsRegular() {
			if content, err := os.ReadFile(full); err == nil {
				line += fmt.Sprintf(" %x", sha256.Sum256(content))
			}
		}
		lines = append(lines, line)
		return nil
	}))
	return strings.Join(lines, "\n")
}

// difference lists the lines that only one side has.
func difference(a, b string) string {
	var out []string
	inA, inB := map[string]int{}, map[string]int{}
	for l := range strings.SplitSeq(a, "\n") {
		inA[l]++
	}
	for l := range strings.SplitSeq(b, "\n") {
		inB[l]++
	}
	for l, n := range inA {
		if inB[l] < n {
			out = append(out, "- "+l)
		}
	}
	for l, n := range inB {
		if inA[l] < n {
			out = append(out, "+ "+l)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
