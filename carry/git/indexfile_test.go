//go:build linux

package git

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// inRepository runs a shell script in a new repository and gives its folder.
func inRepository(t testing.TB, format, script string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("sh", "-ec", "git init -q -b main "+format+" .\n"+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid",
		"GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// states are indexes in every state that an entry can be in; each is tried in all versions and both object formats.
var states = map[string]string{
	"empty":         `git read-tree --empty`,
	"files":         `for i in 1 2 3 12 123; do mkdir -p d$i/e; echo $i >d$i/e/f; echo x >d$i.txt; done; git add .`,
	"odd names":     `printf x >"$(printf 'a\nb')"; printf x >"$(printf '\377')"; printf x >-x; printf x >'"'; git add .`,
	"long names":    `n=$(printf 'xxxx/%.0s' $(seq 1 1200))x; o=$(git hash-object -w --stdin </dev/null); git update-index --add --cacheinfo 100644,$o,$n --cacheinfo 100644,$o,${n}y`,
	"types":         `echo a >a; chmod +x a; ln -s a l; git add .; git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub || git update-index --add --cacheinfo 160000,$(printf '1%.0s' $(seq 1 64)),sub`,
	"bits":          `echo a >a; echo b >b; echo c >c; git add .; git update-index --assume-unchanged a; git update-index --skip-worktree b; git update-index --assume-unchanged --skip-worktree c`,
	"announced":     `echo a >a; echo b >b; git add b; git add -N a`,
	"conflict":      `echo 1 >f; git add f; git commit -qm 1; git checkout -q -b o; echo 2 >f; git commit -qam 2; git checkout -q main; echo 3 >f; git commit -qam 3; git merge -q o || :`,
	"resolved":      `echo 1 >f; git add f; git commit -qm 1; git checkout -q -b o; echo 2 >f; git commit -qam 2; git checkout -q main; echo 3 >f; git commit -qam 3; git merge -q o || :; echo 4 >f; git add f`,
	"untracked":     `echo a >a; git add a; git update-index --untracked-cache; git status -s`,
	"racy":          `echo a >a; git add a; echo b >a; git update-index --refresh || :; git status -s; echo c >z; git add z`,
	"cached tree":   `mkdir d; echo a >d/a; git add .; git commit -qm x; git read-tree HEAD`,
	"without a sum": `git config index.skipHash true; echo a >a; git add a`,
}

// indexes are those that TestParseIndexSaysWhatGitSays has seen, by state and version: seeds for the fuzz test.
var indexes sync.Map

// TestParseIndexSaysWhatGitSays holds every entry, its bits and its file's times against `git ls-files`.
func TestParseIndexSaysWhatGitSays(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(states)) {
		for k, kind := range []struct {
			version, format string
			idBytes         int
		}{{"2", "sha1", 20}, {"4", "sha1", 20}, {"2", "sha256", 32}} {
			if testing.Short() && (i+k)%3 != 0 {
				continue // `make check` takes each state in one of them
			}
			t.Run(strings.Join([]string{name, kind.version, kind.format}, "/"), func(t *testing.T) {
				t.Parallel()
				dir := inRepository(t, "--object-format="+kind.format, "git config index.version "+kind.version+"\n"+states[name])
				content, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
				if err != nil {
					t.Fatal(err)
				}
				if kind.format == "sha1" {
					indexes.Store(name+kind.version, string(content))
				}
				x, ok := ParseIndex(string(content), kind.idBytes)
				if !ok {
					t.Fatalf("cannot be read: %q", content)
				}
				sameAsListed(t, dir, x)
			})
		}
	}
}

func sameAsListed(t *testing.T, dir string, x Index) {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, append(EntriesArgs(), "--debug")...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var plain []string
	times := out
	for len(times) > 0 { // a record, NUL, five lines about its file
		record, rest, _ := strings.Cut(string(times), "\x00")
		var sec, nsec, msec, mnsec int64
		var inode, size uint32
		var dev, uid, gid, flags string
		if _, err := fmt.Sscanf(rest, "  ctime: %d:%d\n  mtime: %d:%d\n  dev: %s\tino: %d\n  uid: %s\tgid: %s\n  size: %d\tflags: %s\n",
			&sec, &nsec, &msec, &mnsec, &dev, &inode, &uid, &gid, &size, &flags); err != nil {
			t.Fatalf("%q: %v", rest, err)
		}
		i := len(plain)
		plain = append(plain, record)
		if i < len(x.Entries) && x.Times(i) != (FileTimes{CTime: sec*1e9 + nsec, MTime: msec*1e9 + mnsec, Inode: inode, Size: size}) {
			t.Errorf("%q: %+v, git says %q", record, x.Times(i), rest[:100])
		}
		times = []byte(rest)
		for range 5 {
			_, after, _ := strings.Cut(string(times), "\n")
			times = []byte(after)
		}
	}
	want, err := ParseEntries([]byte(strings.Join(append(plain, ""), "\x00")))
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != len(x.Entries) {
		t.Fatalf("%d entries, git says %d", len(x.Entries), len(want))
	}
	for i, e := range x.Entries {
		e.Announced = false // ls-files does not tell
		if e != want[i] {
			t.Errorf("%+v, git says %+v", e, want[i])
		}
		if at := x.Find(e.Path, 0); e.Stage == 0 && at != i || e.Stage > 0 && at >= 0 {
			t.Errorf("%q (stage %d) is found at %d, it is at %d", e.Path, e.Stage, at, i)
		}
	}
}

func TestParseIndexTellsAnnouncedEntries(t *testing.T) {
	dir := inRepository(t, "", states["announced"])
	content, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	x, ok := ParseIndex(string(content), 20)
	if !ok || len(x.Entries) != 2 || !x.Entries[0].Announced || x.Entries[1].Announced {
		t.Fatalf("%v %+v", ok, x.Entries)
	}
}

// TestParseIndexLeavesToGitWhatOnlyGitCanRead is about indexes whose entries are elsewhere, or whose meaning an
// extension changes, and about broken ones.
func TestParseIndexLeavesToGitWhatOnlyGitCanRead(t *testing.T) {
	for name, script := range map[string]string{
		"split":  `echo a >a; git add a; git update-index --split-index; echo b >b; git add b`,
		"sparse": `mkdir -p d/e; echo a >d/e/a; echo b >b; git add .; git commit -qm x; git sparse-checkout init --cone --sparse-index; git sparse-checkout reapply`,
	} {
		dir := inRepository(t, "", script)
		content, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
		if err != nil {
			t.Fatal(err)
		}
		if x, ok := ParseIndex(string(content), 20); ok {
			t.Errorf("%s: read as %+v", name, x.Entries)
		}
	}
	dir := inRepository(t, "", states["files"])
	content, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(content) {
		if _, ok := ParseIndex(string(content[:n]), 20); ok {
			t.Errorf("the first %d of %d bytes are taken for an index", n, len(content))
		}
	}
	if _, ok := ParseIndex(string(content), 32); ok {
		t.Error("it is read with ids of another length")
	}
}

func FuzzParseIndex(f *testing.F) {
	for name, script := range states {
		for _, version := range []string{"2", "4"} {
			if content, there := indexes.Load(name + version); there {
				f.Add(content.(string), true)
				continue
			}
			if testing.Short() {
				continue
			}
			dir := inRepository(f, "", "git config index.version "+version+"\n"+script)
			if content, err := os.ReadFile(filepath.Join(dir, ".git", "index")); err == nil {
				f.Add(string(content), true)
			}
		}
	}
	f.Fuzz(func(t *testing.T, content string, sha1 bool) {
		idBytes := 32
		if sha1 {
			idBytes = 20
		}
		x, ok := ParseIndex(content, idBytes)
		if !ok {
			return
		}
		for i, e := range x.Entries {
			if e.Path == "" || strings.ContainsRune(e.Path, 0) || len(e.Object) != idBytes || i > 0 && !before(&x.Entries[i-1], &e) {
				t.Fatalf("entry %d is %+v", i, e)
			}
		}
	})
}

// TestTimesAreThoseOfTheFile is about the one thing that ls-files and ParseIndex could get wrong together.
func TestTimesAreThoseOfTheFile(t *testing.T) {
	dir := inRepository(t, "", `echo hello >a; git add a`)
	content, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	x, ok := ParseIndex(string(content), 20)
	if !ok {
		t.Fatal("not read")
	}
	s := info.Sys().(*syscall.Stat_t)
	want := FileTimes{MTime: info.ModTime().UnixNano(), CTime: s.Ctim.Nano(), Inode: uint32(s.Ino), Size: 6}
	if x.Times(0) != want {
		t.Errorf("%+v, the file says %+v", x.Times(0), want)
	}
}
