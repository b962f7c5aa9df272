//go:build unix

package carry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// large makes a repository of many files with 500 edits and 500 new files of 20 kB.
func large(t testing.TB, files int) *repo {
	r := newRepo(t)
	for i := range files {
		r.write(fmt.Sprintf("d%d/e%d/f%d.txt", i%50, i%20, i), fmt.Sprintf("%d\n%s", i, strings.Repeat("line\n", 20)))
	}
	r.commit("large")
	r.git("update-index", "-q", "--refresh")
	for i := range min(500, files/10) {
		r.write(fmt.Sprintf("d%d/e%d/f%d.txt", i%50, i%20, i), fmt.Sprintf("edited %d\n%s", i, strings.Repeat("line\n", 4000)))
		r.write(fmt.Sprintf("new%d/n%d.txt", i%7, i), strings.Repeat("new\n", 5000))
	}
	return r
}

// TestCarryStartsFewProcesses counts every git that a carry starts, by a git of its own on PATH.
func TestCarryStartsFewProcesses(t *testing.T) {
	for name, c := range map[string]struct {
		most  int
		state func(r *repo)
	}{
		"clean": {5, func(*repo) {}},
		"edits, staged ones and new files": {6, func(r *repo) {
			r.write("a.txt", "staged")
			r.git("add", "a.txt")
			r.write("run.sh", "edited")
			r.write("new", "new")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			c.state(r)
			at := openAt(t, r.top)
			child := filepath.Join(filepath.Dir(r.top), "child")
			r.git("worktree", "add", "-q", "-b", "child", child, "HEAD")
			into := openAt(t, child)
			log := noteGitCalls(t)
			plan, err := Look(context.Background(), at, at.Head, Options{})
			must(t, err)
			defer plan.Close()
			if _, err := plan.Into(context.Background(), into, new(steps), nil); err != nil {
				t.Fatal(explain(err))
			}
			out, err := os.ReadFile(log)
			must(t, err)
			if n := bytes.Count(out, []byte("\n")); n > c.most {
				t.Errorf("%d processes, want at most %d:\n%s", n, c.most, out)
			}
		})
	}
}

// noteGitCalls puts a git on PATH that notes each call.
func noteGitCalls(t *testing.T) (log string) {
	real := strings.TrimSpace(gitIn(t, "/", "--exec-path")) + "/git"
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>'%s'\nexec '%s' \"$@\"\n", log, real)
	must(t, os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return log
}

func BenchmarkCarry(b *testing.B) {
	r := large(b, 50_000)
	at := openAt(b, r.top)
	b.Run("git status", func(b *testing.B) {
		for b.Loop() {
			r.git("status", "--porcelain=v2", "-z", "-uall")
		}
	})
	b.Run("survey", func(b *testing.B) {
		for b.Loop() {
			_, err := Survey(context.Background(), at)
			must(b, err)
		}
	})
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			plan, err := Look(context.Background(), at, at.Head, Options{})
			must(b, err)
			plan.Close()
		}
	})
	for _, carried := range []bool{false, true} {
		b.Run(map[bool]string{false: "worktree add", true: "worktree add, look and into"}[carried], func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				name := fmt.Sprintf("c%x", sha256.Sum256(fmt.Append(nil, carried, n, b.N)))[:12]
				child := filepath.Join(filepath.Dir(r.top), name)
				r.git("worktree", "add", "-q", "-b", name, child, "HEAD")
				if carried {
					plan, err := Look(context.Background(), at, at.Head, Options{})
					must(b, err)
					_, err = plan.Into(context.Background(), openAt(b, child), new(steps), nil)
					must(b, err)
					plan.Close()
				}
				b.StopTimer()
				r.git("worktree", "remove", "--force", child)
				r.git("branch", "-q", "-D", name)
				b.StartTimer()
			}
		})
	}
}
