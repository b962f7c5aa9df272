package carry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk is the folder of a file system of a size.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, 0)) })
	return dir
}

// small is a repository on a file system that test can fill: full and room do that.
func small(t *testing.T) (r *repo, full, room func()) {
	t.Helper()
	dir := smallDisk(t, "2m")
	made := newRepo(t)
	must(t, exec.Command("cp", "-a", made.top, dir+"/parent").Run())
	r = &repo{t, dir + "/parent"}
	ballast := dir + "/ballast"
	full = func() {
		file, err := os.OpenFile(ballast, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		must(t, err)
		defer file.Close()
		for err == nil {
			_, err = file.Write(make([]byte, 4096))
		}
		if !isNoSpace(err) {
			t.Fatal(err)
		}
	}
	return r, full, func() { _ = os.Remove(ballast) }
}

// stopper puts a git before the real one that runs script when it is given a subcommand, and tells how to take it away.
func stopper(t *testing.T, subcommand, script string) {
	t.Helper()
	dir := t.TempDir()
	text := "#!/bin/sh\nPATH='" + os.Getenv("PATH") + "'\ncase \" $* \" in *' " + subcommand + " '*) " + script + ";; esac\nexec git \"$@\"\n"
	must(t, os.WriteFile(dir+"/git", []byte(text), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestAFullDiskTakesEverythingBack fills a real disk at each step of a fork.
func TestAFullDiskTakesEverythingBack(t *testing.T) {
	for _, c := range []struct{ at, want string }{
		{"Begin", "noSpace"},
		{"Create", "createFailed"},
		{"update-ref", "createFailed"},
		{"add", "createFailed"}, // git worktree add
		{"carry", "noSpace"},
		{"RunHook", ""},
		{"Keep", ""},
	} {
		t.Run(c.at, func(t *testing.T) {
			r, full, room := small(t)
			for i := range 50 { // more than what is free in pages that are begun already
				r.write(fmt.Sprintf("many/%d.txt", i), strings.Repeat("x", 5000))
			}
			r.commit("many")
			r.write("new.bin", strings.Repeat("new", 10_000))
			for i := range 100 {
				r.write(fmt.Sprintf("a-long-name-for-a-line-of-more-than-a-page-in-the-journal-%d", i), "x")
			}
			source := opened(t, r.top)
			hook(t, source, "echo hooked >hook.txt")
			before := everything(t, r.top)
			fill := func(at string) {
				if at == c.at {
					full()
				}
			}
			if c.at == "update-ref" || c.at == "add" {
				stopper(t, c.at, "cat /dev/zero >>"+filepath.Dir(r.top)+"/ballast 2>/dev/null")
			}
			err := func() error {
				fill("Begin")
				o, err := Begin(context.Background(), source, operation)
				if err != nil {
					return err
				}
				defer o.Close()
				fill("Create")
				child, err := o.Create(context.Background(), CreateRequest{Path: filepath.Dir(r.top) + "/x/child", Branch: "feat/child", Base: source.Head})
				if err == nil {
					var plan *Plan
					plan, err = Look(context.Background(), source, source.Head, Options{})
					must(t, err)
					defer plan.Close()
					fill("carry")
					_, err = plan.Into(context.Background(), child, o, nil)
				}
				if err == nil {
					fill("RunHook")
					o.RunHook(context.Background(), child)
					fill("Keep")
					err = errors.New("cancelled") // what is left of a page may well take the last line
				}
				if e := o.RollBack(context.Background()); e != nil {
					t.Errorf("roll back: %v", e)
				}
				return err
			}()
			if c.want != "" && refusal(err) != c.want {
				t.Errorf("said %s, want %s", explain(err), c.want)
			}
			room()
			if after := everything(t, r.top); after != before {
				t.Errorf("not as before:\n%s", difference(before, after))
			}
			if !nothingAt(filepath.Dir(r.top) + "/x") {
				t.Error("the child's folder is still there")
			}
			want := "rolledBack"
			if c.at == "Begin" {
				want = "unknownOperation"
			}
			if got := Outcome(source.CommonDir, operation); got != want {
				t.Errorf("outcome: %s", got)
			}
			if got := recovered(t, r); got != nil {
				t.Errorf("recovered: %+v", got)
			}
			left, _ := filepath.Glob(operationsFolder(source.CommonDir) + "/*")
			if len(left) > 1 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestAFullDiskInTheMiddleOfFillingIsARefusalAndLeavesNothing fills a child on a file system that is too small for it.
func TestAFullDiskInTheMiddleOfFillingIsARefusalAndLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for i := range 20 {
		r.write(fmt.Sprintf("many/%d.txt", i), strings.Repeat("x", 20_000))
	}
	r.commit("many")
	r.settled()
	before := everything(t, r.world())
	at := opened(t, r.top)
	plan, err := Look(context.Background(), at, at.Head, Options{})
	must(t, err)
	defer plan.Close()
	o := begun(t, at)
	_, err = o.Create(context.Background(), CreateRequest{Path: smallDisk(t, "200k") + "/child", Branch: "child", Base: at.Head, Like: plan})
	if refusal(err) != "noSpace" {
		t.Errorf("said %v", explain(err))
	}
	must(t, o.RollBack(context.Background()))
	must(t, o.Close())
	if after := everything(t, r.world()); after != before {
		t.Errorf("not as before:\n%s", difference(before, after))
	}
}
