package carry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// failing is a file system one of whose calls fails with EIO, as a broken disk's do: the calls are counted, of this
// process and of every git. It is served by a process of its own: one that waits for itself stands still.
type failing struct {
	fuse.RawFileSystem
	calls   atomic.Int64
	at      atomic.Int64 // the call that fails; 0: none
	forGood atomic.Bool  // so do all after it
}

func (f *failing) fails() bool {
	n, at := f.calls.Add(1), f.at.Load()
	return at > 0 && (n == at || n > at && f.forGood.Load())
}

// asDisk, with the two folders, makes this test binary serve the one at the other.
const asDisk = "SIDEFORK_TEST_AS_DISK"

// serveDisk mounts, says so, and takes orders: which call is to fail, and whether for good. It answers each with the number
// of calls since the last one.
func serveDisk(under, at string) error {
	root, err := fs.NewLoopbackRoot(under)
	if err != nil {
		return err
	}
	disk := &failing{RawFileSystem: fs.NewNodeFS(root, &fs.Options{})}
	server, err := fuse.NewServer(disk, at, &fuse.MountOptions{DirectMount: true, FsName: "failing", Name: "failing"})
	if err != nil {
		return err
	}
	go server.Serve()
	if err := server.WaitMount(); err != nil {
		return err
	}
	fmt.Println("mounted")
	var n int64
	var forGood bool
	for {
		if _, err := fmt.Scanln(&n, &forGood); err != nil {
			return server.Unmount()
		}
		disk.forGood.Store(forGood)
		disk.at.Store(n)
		fmt.Println(disk.calls.Swap(0))
	}
}

func (f *failing) or(call func() fuse.Status) fuse.Status {
	if f.fails() {
		return fuse.EIO
	}
	return call()
}

func (f *failing) Create(c <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	return f.or(func() fuse.Status { return f.RawFileSystem.Create(c, in, name, out) })
}

func (f *failing) Open(c <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	return f.or(func() fuse.Status { return f.RawFileSystem.Open(c, in, out) })
}

func (f *failing) Read(c <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	if f.fails() {
		return nil, fuse.EIO
	}
	return f.RawFileSystem.Read(c, in, buf)
}

func (f *failing) Write(c <-chan struct{}, in *fuse.WriteIn, data []byte) (n uint32, status fuse.Status) {
	if f.fails() {
		return 0, fuse.EIO
	}
	return f.RawFileSystem.Write(c, in, data)
}

func (f *failing) Fsync(c <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return f.or(func() fuse.Status { return f.RawFileSystem.Fsync(c, in) })
}

func (f *failing) Mkdir(c <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	return f.or(func() fuse.Status { return f.RawFileSystem.Mkdir(c, in, name, out) })
}

func (f *failing) Rename(c <-chan struct{}, in *fuse.RenameIn, from, to string) fuse.Status {
	return f.or(func() fuse.Status { return f.RawFileSystem.Rename(c, in, from, to) })
}

func (f *failing) Symlink(c <-chan struct{}, in *fuse.InHeader, text, name string, out *fuse.EntryOut) fuse.Status {
	return f.or(func() fuse.Status { return f.RawFileSystem.Symlink(c, in, text, name, out) })
}

func (f *failing) SetAttr(c <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	return f.or(func() fuse.Status { return f.RawFileSystem.SetAttr(c, in, out) })
}

func (f *failing) Unlink(c <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return f.or(func() fuse.Status { return f.RawFileSystem.Unlink(c, in, name) })
}

func (f *failing) Rmdir(c <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return f.or(func() fuse.Status { return f.RawFileSystem.Rmdir(c, in, name) })
}

// broken is a repository on such a file system. arm lets the n-th call from now on fail, 0: none, and gives how many there
// were since it was last called.
func broken(t *testing.T) (r *repo, arm func(n int64, forGood bool) (calls int64)) {
	t.Helper()
	under, at := t.TempDir(), t.TempDir()
	disk := exec.Command(os.Args[0])
	disk.Env = append(os.Environ(), asDisk+"="+under+":"+at)
	orders, err := disk.StdinPipe()
	must(t, err)
	answers, err := disk.StdoutPipe()
	must(t, err)
	var said strings.Builder
	disk.Stderr = &said
	must(t, disk.Start())
	t.Cleanup(func() {
		must(t, orders.Close())
		_ = disk.Wait()
	})
	var word string
	if _, err := fmt.Fscanln(answers, &word); err != nil || word != "mounted" {
		t.Skipf("nothing can be mounted by FUSE here, so nothing was tried on a disk with errors: %v, %s", err, said.String())
	}
	made := newRepo(t)
	must(t, exec.Command("cp", "-a", made.top, at+"/parent").Run())
	return &repo{t, at + "/parent"}, func(n int64, forGood bool) (calls int64) {
		_, err := fmt.Fprintln(orders, n, forGood)
		must(t, err)
		_, err = fmt.Fscanln(answers, &calls)
		must(t, err)
		return calls
	}
}

// TestADiskWithErrorsTakesNothingAway lets calls to the file system fail, in every part of a fork, once or from then on:
// the child is whole and said to be, or all is taken back, at the latest when the disk is well again, or it is said what stands.
func TestADiskWithErrorsTakesNothingAway(t *testing.T) {
	t.Parallel()
	r, arm := broken(t)
	r.write("a.txt", "carried\n")
	r.git("add", "a.txt")
	r.write("run.sh", "edited\n")
	r.write("new/n.txt", "new\n")
	r.link("a.txt", "l")
	source := opened(t, r.top)
	hook(t, source, "echo hooked >hook.txt")
	child := r.world() + "/x/child"
	forget := func() {
		r.git("worktree", "remove", "--force", child)
		r.git("update-ref", "-d", "refs/heads/feat/child")
		must(t, os.Remove(r.world()+"/x"))
		_ = os.Remove(r.path(".git/refs/heads/feat"))
		_ = os.Remove(r.path(".git/logs/refs/heads/feat"))
	}
	var id string
	fork := func() (kept bool, err error) {
		id = uuid.NewString()
		o, err := Begin(context.Background(), source, id)
		if err != nil {
			return false, err
		}
		defer func() { err = errors.Join(err, o.Close()) }()
		if kept, _, err = forkWhole(o, child); !kept {
			err = errors.Join(err, o.RollBack(context.Background()))
		}
		return kept, err
	}
	arm(0, false)
	if kept, err := fork(); !kept {
		t.Fatal(explain(err))
	}
	calls := arm(0, false)
	forget()
	before := everything(t, r.world())
	tries := 24
	if testing.Short() {
		tries = 2
	}
	ends := map[string]int{}
	random := rand.New(rand.NewPCG(*seedFlag, 3))
	for try := range tries {
		n, forGood := 1+(int64(try)*calls+random.Int64N(calls))/int64(tries), try%2 == 1
		arm(n, forGood)
		kept, err := fork()
		arm(0, false)
		what := fmt.Sprintf("call %d of %d fails, for good %v: %v, %v", n, calls, forGood, kept, err)
		// A lock that git could not take away is in its way, until a person does what it tells them.
		_ = os.Remove(r.path(".git/refs/heads/feat/child.lock"))
		_ = os.Remove(r.path(".git/refs/heads/feat")) // if nothing is in it
		again := recovered(t, r)
		if !kept && err != nil && len(again) == 0 && Outcome(source.CommonDir, id) == "completed" {
			kept = true // the boundary was written, and the disk did not let us say so, nor go back
		}
		if kept {
			if d := compareTrees(t, r.top, child, []string{"hook.txt"}); d != "" {
				t.Errorf("%s: parent (-) and child (+) differ:\n%s", what, d)
			}
			forget()
		} else if err == nil {
			t.Errorf("%s: neither", what)
		}
		end := fmt.Sprint("kept ", kept)
		for _, a := range again {
			if end += ", then " + a.Action; a.Action != "rolledBack" && len(a.Paths) == 0 {
				t.Errorf("%s: then %+v: it does not say what stands", what, a)
			}
		}
		ends[end]++
		after := everything(t, r.world())
		for line := range strings.Lines(difference(before, after)) {
			switch {
			case !strings.HasPrefix(line, "+"):
				t.Errorf("%s: the parent has lost %s", what, line)
			case strings.Contains(end, "then kept"), strings.Contains(end, "then failed"):
			case !strings.Contains(line, "logs/refs/heads/feat"): // git could not go back from a branch that it had begun
				t.Errorf("%s: all is said to be taken back, but for %s", what, line)
			}
		}
		if after != before {
			_, _ = tryGit(r.top, "worktree", "remove", "--force", "--force", child)
			_, _ = tryGit(r.top, "update-ref", "-d", "refs/heads/feat/child")
			for _, name := range []string{r.world() + "/x", r.path(".git/logs/refs/heads/feat"), r.path(".git/refs/heads/feat"), r.path(".git/worktrees")} {
				must(t, os.RemoveAll(name))
			}
			_ = recovered(t, r)
		}
	}
	t.Logf("%d calls, %d of them failed: %v", calls, tries, ends)
}

// asAnother serves a disk where this process was started for that.
func asAnother() (status int, served bool) {
	under, at, served := strings.Cut(os.Getenv(asDisk), ":")
	if !served {
		return 0, false
	}
	if err := serveDisk(under, at); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}
