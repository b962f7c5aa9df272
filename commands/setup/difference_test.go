package setup

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestADifferenceShowsWhatIsNewAndHidesNothing: what a person is asked to approve again.
func TestADifferenceShowsWhatIsNewAndHidesNothing(t *testing.T) {
	text := func(path, text string) Content { return contentOf(path, file, []byte(text)) }
	for name, c := range map[string]struct {
		was, is []Content
		want    string
	}{
		"nothing was known": {nil, []Content{text("a", "x")}, ""},
		"the same":          {[]Content{text("a", "x")}, []Content{text("a", "x")}, ""},
		"one line": {
			[]Content{text("a", "one\ntwo\n"), text("same", "s")},
			[]Content{text("a", "one\n2\n"), text("same", "s")},
			"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
		},
		"a file more and one less": {
			[]Content{text("old", "x\n")},
			[]Content{text("new", "y\n")},
			"--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+y\n--- a/old\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x",
		},
		"what cannot be seen": {
			[]Content{text("a", "")},
			[]Content{text("a", "\x1b[2K\u202e\xff\r\n\tx\n")},
			"--- a/a\n+++ b/a\n@@ -0,0 +1,2 @@\n+<U+001B>[2K<U+202E><FF><U+000D>\n+\tx",
		},
		"a link in place of a file": {
			[]Content{text("a", "x\n")},
			[]Content{contentOf("a", link, []byte("b"))},
			"--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-x\n+-> b",
		},
		"a link that reads like its file": {
			[]Content{text("a", "-> b\n")},
			[]Content{contentOf("a", link, []byte("b"))},
			"a/a and b/a differ (5 bytes, 1 bytes)",
		},
		"no text":                 {[]Content{text("a", "x\x00")}, []Content{text("a", "y")}, "a/a and b/a differ (2 bytes, 1 bytes)"},
		"an empty file that goes": {[]Content{text("a", ""), text("b", "x")}, []Content{text("b", "x")}, "a/a and /dev/null differ (0 bytes, 0 bytes)"},
		"too large to be kept": {
			[]Content{text("a", strings.Repeat("x", maxKeptFile+1))},
			[]Content{text("a", "y")},
			"a/a and b/a differ (65537 bytes, 1 bytes)",
		},
	} {
		if d := cmp.Diff(c.want, Difference(c.was, c.is)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	long := Difference([]Content{text("a", "")}, []Content{text("a", strings.Repeat("é", 5000)+strings.Repeat("\nx", 5000))})
	if lines := strings.Split(long, "\n"); len(lines) != maxLines+1 || len(long) > maxLines*(2*maxLine+10) || lines[maxLines] != "… +4605" {
		t.Errorf("%d lines, %d bytes, the last %.20q", len(lines), len(long), lines[len(lines)-1])
	}
}

func TestWhatWasTrustedLastIsKeptAndBounded(t *testing.T) {
	top := repository(t, map[string]string{".sidefork.json": `{"setup":"sh a.sh; sh b.sh; sh c.sh; sh d.sh; sh e.sh; sh f.sh"}`, "a.sh": "one\n"})
	store := Store{Folder: filepath.Join(t.TempDir(), "trust"), Common: top, Tops: []string{top}}
	first := found(t, top)
	if d := Difference(store.Last(), first.Covered); d != "" {
		t.Errorf("before anything was trusted: %s", d)
	}
	must(t, store.Trust(first))
	large := strings.Repeat("x\n", maxKeptFile/2)
	write(t, top, map[string]string{"a.sh": "two\n", "b.sh": large, "c.sh": large, "d.sh": large, "e.sh": large, "f.sh": large + "x"})
	second := found(t, top)
	if d := Difference(store.Last(), second.Covered); !strings.Contains(d, "\n-one\n+two\n") {
		t.Errorf("it does not show what is new:\n%.500s", d)
	}
	must(t, store.Trust(second))
	info, err := os.Stat(store.file(second.Hash))
	must(t, err)
	if info.Size() > 450<<10 || info.Mode().Perm() != 0o600 || !store.Trusts(second.Hash) || !store.Trusts(first.Hash) {
		t.Errorf("the record has %d bytes, %v", info.Size(), info.Mode())
	}
	write(t, top, map[string]string{"a.sh": "three\n"})
	if d := Difference(store.Last(), found(t, top).Covered); !strings.Contains(d, "\n-two\n+three") || strings.Contains(d, "one") {
		t.Errorf("it is not that to what was trusted last:\n%.500s", d)
	}
	many := found(t, top)
	for range 8000 {
		many.Covered = append(many.Covered, contentOf(strings.Repeat("p", 200), file, nil))
	}
	must(t, store.Trust(many))
	if !store.Trusts(many.Hash) || len(store.Last()) != 0 {
		t.Error("what is too much to keep is not trusted")
	}
	committed, err := Find(context.Background(), Tree(top, "HEAD"))
	must(t, err)
	if d := Difference(committed.Covered, first.Covered); d != "" {
		t.Errorf("the commit is not the disk of then: %s", d)
	}
}
