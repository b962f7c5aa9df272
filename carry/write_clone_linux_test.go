package carry

import (
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// sharing mounts a file system that can share blocks between files.
func sharing(t *testing.T) string {
	t.Helper()
	var reasons string
	for _, mkfs := range []string{"mkfs.xfs", "mkfs.btrfs"} {
		program, err := exec.LookPath(mkfs)
		if err != nil {
			program = "/usr/sbin/" + mkfs
		}
		image, at := filepath.Join(t.TempDir(), "image"), t.TempDir()
		must(t, os.WriteFile(image, nil, 0o600))
		must(t, os.Truncate(image, 512<<20))
		for _, argv := range [][]string{{program, "-q", image}, {"mount", "-o", "loop", image, at}} {
			var out []byte
			if out, err = exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
				reasons += "; " + err.Error() + " " + string(out)
				break
			}
		}
		if err == nil {
			t.Cleanup(func() { must(t, exec.Command("umount", at).Run()) })
			return at
		}
	}
	t.Skip("no file system that can share blocks could be made and mounted, so that copies share them was not tried" + reasons)
	return ""
}

// TestCopiesShareTheirBlocksWhereTheDiskCan carries a large file on a real file system with reflinks, and looks at how much
// fuller that became.
func TestCopiesShareTheirBlocksWhereTheDiskCan(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		return // `make test` does it
	}
	at := sharing(t)
	made := newRepo(t)
	must(t, exec.Command("cp", "-a", made.top, at+"/parent").Run())
	r := &repo{t, at + "/parent"}
	const size = 16 << 20
	content := make([]byte, size)
	rand.Read(content)
	r.write("new.bin", string(content))
	r.write("a.txt", string(content[:size/2]))
	used := func() int64 {
		t.Helper()
		f, err := os.Open(at)
		must(t, err)
		defer f.Close()
		var s unix.Statfs_t
		must(t, unix.Syncfs(int(f.Fd())))
		must(t, unix.Fstatfs(int(f.Fd()), &s))
		return int64(s.Blocks-s.Bfree) * s.Bsize
	}
	source := opened(t, r.top)
	plan, err := Look(context.Background(), source, source.Head, Options{})
	must(t, err)
	defer plan.Close()
	r.git("worktree", "add", "-q", "-b", "child", at+"/child", "HEAD")
	before := used()
	_, err = plan.Into(context.Background(), opened(t, at+"/child"), new(steps), nil)
	must(t, err)
	if more := used() - before; more > size/8 {
		t.Errorf("%d MB were carried, and the disk has %d MB more on it", size*3/2>>20, more>>20)
	}
	if d := compareTrees(t, r.top, at+"/child", nil); d != "" {
		t.Error(d)
	}
}
