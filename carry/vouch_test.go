//go:build unix

package carry

import (
	"crypto/sha1"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// forge writes a repository's index as another tool might: with the entry of one path made to say what change wants. It
// knows the format by itself (gitformat-index(5), version 2), and leaves the index written at a time.
func (r *repo) forge(name string, written time.Time, change func(times []byte)) {
	r.Helper()
	file := r.path(".git/index")
	content, err := os.ReadFile(file)
	must(r, err)
	at := strings.Index(string(content), name+"\x00") - 62
	if at < 12 || binary.BigEndian.Uint32(content[4:]) != 2 {
		r.Fatalf("%s is not in the index", name)
	}
	change(content[at : at+40])
	sum := sha1.Sum(content[:len(content)-sha1.Size])
	copy(content[len(content)-sha1.Size:], sum[:])
	must(r, os.WriteFile(file, content, 0o644))
	must(r, os.Chtimes(file, written, written))
}

// asOnDisk makes an entry say of its file what the disk says now, whatever its object is.
func (r *repo) asOnDisk(name string, after time.Duration) {
	r.Helper()
	t, err := openTree(r.top)
	must(r, err)
	defer t.close()
	s, err := t.at(name)
	must(r, err)
	r.forge(name, time.Unix(0, max(s.mtime, s.ctime)).Add(after), func(times []byte) {
		for i, v := range []int64{s.ctime / 1e9, s.ctime % 1e9, s.mtime / 1e9, s.mtime % 1e9, -1, int64(s.inode), -1, -1, -1, s.size} {
			if v >= 0 {
				binary.BigEndian.PutUint32(times[4*i:], uint32(v))
			}
		}
	})
}

// rewrite puts other bytes of the same number into a file and gives it its time back; inPlace keeps the inode.
func (r *repo) rewrite(name, content string, inPlace bool) {
	r.Helper()
	info, err := os.Lstat(r.path(name))
	must(r, err)
	if info.Size() != int64(len(content)) {
		r.Fatalf("%s has %d bytes, not %d", name, info.Size(), len(content))
	}
	to := r.path(name)
	if !inPlace {
		to = filepath.Join(filepath.Dir(r.top), "new")
	}
	must(r, os.WriteFile(to, []byte(content), info.Mode()))
	must(r, os.Chtimes(to, info.ModTime(), info.ModTime()))
	must(r, os.Rename(to, r.path(name)))
}

// TestCarryBelievesNoIndexThatMayBeWrong edits docs/c.md ("doc\n") where an index has reasons not to know.
func TestCarryBelievesNoIndexThatMayBeWrong(t *testing.T) {
	t.Parallel()
	later := time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(r *repo, name string, when time.Time) { r.Helper(); must(r, os.Chtimes(r.path(name), when, when)) }
	for name, edit := range map[string]func(r *repo){
		"its time given back": func(r *repo) { r.rewrite("docs/c.md", "odc\n", true) },
		"its time given back, ctime not trusted": func(r *repo) {
			r.git("config", "core.trustctime", "false")
			r.git("config", "core.checkStat", "minimal")
			r.rewrite("docs/c.md", "odc\n", true)
		},
		"replaced by another file with its time": func(r *repo) { r.rewrite("docs/c.md", "odc\n", false) },
		"a second name of another file": func(r *repo) {
			r.write("other", "odc\n")
			r.remove("docs/c.md")
			must(r, os.Link(r.path("other"), r.path("docs/c.md")))
		},
		"written through its second name": func(r *repo) {
			second := filepath.Join(filepath.Dir(r.top), "second")
			must(r, os.Link(r.path("docs/c.md"), second))
			info, err := os.Lstat(second)
			must(r, err)
			must(r, os.WriteFile(second, []byte("odc\n"), 0o644))
			must(r, os.Chtimes(second, info.ModTime(), info.ModTime()))
		},
		"an index from the future": func(r *repo) {
			at(r, ".git/index", later)
			r.rewrite("docs/c.md", "odc\n", true)
		},
		"an index older than its files": func(r *repo) {
			r.rewrite("docs/c.md", "odc\n", true)
			r.asOnDisk("docs/c.md", -time.Hour)
		},
		"an index of the same tick":              func(r *repo) { r.rewrite("docs/c.md", "odc\n", true); r.asOnDisk("docs/c.md", 0) },
		"an index of a few ticks later":          func(r *repo) { r.rewrite("docs/c.md", "odc\n", true); r.asOnDisk("docs/c.md", 50*time.Millisecond) },
		"an index written without looking at it": func(r *repo) { r.stage("docs/c.md", "xyz\n") },
		"zero inode and change time, as other tools write": func(r *repo) {
			r.rewrite("docs/c.md", "odc\n", true)
			r.asOnDisk("docs/c.md", time.Hour)
			r.forge("docs/c.md", time.Now().Add(time.Hour), func(times []byte) { clear(times[:8]); clear(times[16:24]) })
			r.git("config", "core.checkStat", "minimal")
		},
		"seconds only": func(r *repo) {
			r.rewrite("docs/c.md", "odc\n", true)
			r.asOnDisk("docs/c.md", time.Hour)
			r.forge("docs/c.md", time.Now().Add(time.Hour), func(times []byte) { clear(times[4:8]); clear(times[12:16]) })
		},
		"a file of 1969": func(r *repo) {
			at(r, "docs/c.md", time.Unix(-5, 0))
			r.git("update-index", "-q", "--refresh")
			r.rewrite("docs/c.md", "odc\n", true)
		},
		"a file of 2039": func(r *repo) {
			at(r, "docs/c.md", time.Unix(1<<31+7, 9))
			r.git("update-index", "-q", "--refresh")
			r.rewrite("docs/c.md", "odc\n", true)
		},
		"a file of 2110, whose seconds are another's": func(r *repo) {
			r.rewrite("docs/c.md", "odc\n", true)
			at(r, "docs/c.md", time.Unix(1<<32+1700000000, 9))
			r.asOnDisk("docs/c.md", time.Hour)
		},
		"marked as unchanged": func(r *repo) { r.git("update-index", "--assume-unchanged", "docs/c.md"); r.write("docs/c.md", "odc\n") },
		"marked as skipped":   func(r *repo) { r.git("update-index", "--skip-worktree", "docs/c.md"); r.write("docs/c.md", "odc\n") },
		"marked as unchanged by setting": func(r *repo) {
			r.git("config", "core.ignoreStat", "true")
			r.write("docs/c.md", "odc\n")
			r.git("add", "a.txt")
		},
		"staged, and edited at once": func(r *repo) {
			r.write("docs/c.md", "new\n")
			r.git("add", "docs/c.md")
			r.rewrite("docs/c.md", "odc\n", true)
		},
		"announced, and edited at once": func(r *repo) {
			r.write("n2", "new\n")
			r.git("add", "-N", "n2")
			r.rewrite("n2", "odc\n", true)
		},
		"executable, which the setting ignores": func(r *repo) {
			r.git("config", "core.fileMode", "false")
			must(r, os.Chmod(r.path("docs/c.md"), 0o755))
		},
		"a file in the place of a link": func(r *repo) {
			r.link("b.txt", "src/link")
			r.commit("link")
			r.git("config", "core.symlinks", "false")
			r.remove("src/link")
			r.write("src/link", "z.txt")
			r.git("update-index", "-q", "--refresh")
			r.rewrite("src/link", "y.txt", true)
		},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			edit(r)
			r.judged(r.top)
		})
	}
}

// stage gives a path another object without a look at its file.
func (r *repo) stage(name, content string) {
	r.Helper()
	file := filepath.Join(filepath.Dir(r.top), "blob")
	must(r, os.WriteFile(file, []byte(content), 0o644))
	object := strings.TrimSpace(r.git("hash-object", "-w", file))
	r.git("update-index", "--cacheinfo", "100644,"+object+","+name)
}

// TestVouchesForWhatIsSurelyTheSame names every fact that has to be as it was.
func TestVouchesForWhatIsSurelyTheSame(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.link("a.txt", "zlink")
	r.write("empty", "")
	r.commit("more")
	tree, err := openTree(r.top)
	must(t, err)
	defer tree.close()
	read := func() index {
		x, err := readIndex(t.Context(), openAt(t, r.top))
		must(t, err)
		return x
	}
	x := read()
	x.written += int64(time.Hour)
	for _, name := range []string{"a.txt", "zlink", "empty"} {
		s, err := tree.at(name)
		must(t, err)
		i := x.Find(name, 0)
		if !x.vouches(i, s) {
			t.Errorf("not for %s, which nobody has touched: %+v %+v", name, x.Times(i), s)
		}
		for what, change := range map[string]func(x *index, s *stat){
			"size":                   func(_ *index, s *stat) { s.size++ },
			"time":                   func(_ *index, s *stat) { s.mtime++ },
			"time by its low bits":   func(_ *index, s *stat) { s.mtime += 1e9 << 32 },
			"time before 1970":       func(_ *index, s *stat) { s.mtime -= 1e9 << 32 },
			"change time":            func(_ *index, s *stat) { s.ctime-- },
			"inode":                  func(_ *index, s *stat) { s.inode ^= 1 << 7 },
			"no inode":               func(_ *index, s *stat) { s.inode = 0 },
			"kind":                   func(_ *index, s *stat) { s.kind = file + link - s.kind },
			"folder":                 func(_ *index, s *stat) { s.kind = folder },
			"nothing":                func(_ *index, s *stat) { *s = stat{} },
			"assume-unchanged":       func(x *index, _ *stat) { x.Entries[i].AssumeSame = true },
			"skip-worktree":          func(x *index, _ *stat) { x.Entries[i].SkipWorktree = true },
			"unmerged":               func(x *index, _ *stat) { x.Entries[i].Stage = 2 },
			"index of the same tick": func(x *index, s *stat) { x.written = max(s.ctime, s.mtime) },
			"index soon after":       func(x *index, s *stat) { x.written = max(s.ctime, s.mtime) + int64(blind) },
		} {
			y, s := read(), s
			y.written = x.written
			change(&y, &s)
			if y.vouches(i, s) {
				t.Errorf("%s, other %s: %+v %+v", name, what, y.Times(i), s)
			}
		}
		s.inode += 1 << 32 // of which an index has the low half
		if !x.vouches(i, s) {
			t.Errorf("not for %s with a large inode number", name)
		}
	}
	if x.vouches(-1, stat{}) {
		t.Error("for a path without an entry")
	}
}

// A file system with seconds only, whose index lies on a better one: a second change within the second leaves no trace.
func TestVouchesForNoFileWhoseSecondMayNotHaveEnded(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	second := time.Unix(1700000000, 0)
	x, s := index{}, stat{kind: file, size: 4, mtime: second.UnixNano(), ctime: second.UnixNano(), inode: 1 << 33}
	r.forge("docs/c.md", time.Now(), func(times []byte) {
		clear(times[:24])
		binary.BigEndian.PutUint32(times[0:], uint32(second.Unix()))
		binary.BigEndian.PutUint32(times[8:], uint32(second.Unix()))
	})
	x, err := readIndex(t.Context(), openAt(t, r.top))
	must(t, err)
	for after, want := range map[time.Duration]bool{time.Second: false, 1999 * time.Millisecond: false, 3 * time.Second: true} {
		x.written = second.Add(after).UnixNano()
		if got := x.vouches(x.Find("docs/c.md", 0), s); got != want {
			t.Errorf("an index %v later: %v", after, got)
		}
	}
}

// An index knows the low 32 bits of a size.
func TestFilesOfAnotherSizeAreNeverAlike(t *testing.T) {
	t.Parallel()
	w := &writing{plan: &Plan{seen: &reading{}}, compared: map[string]stat{}}
	small, large := stat{kind: file, size: 7, mode: 0o644}, stat{kind: file, size: 7 + 1<<32, mode: 0o644}
	if same, err := w.alike(t.Context(), "f", large, small, true); same || err != nil {
		t.Errorf("%v, %v", same, err)
	}
}
