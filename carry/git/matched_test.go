package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAnAnswerIsCutAtEachNULHoweverItArrives(t *testing.T) {
	const answer = "a\x00b/c d\n\x00\x00\xff\x00rest"
	for size := 1; size <= len(answer); size++ {
		var got []string
		s := splitter{each: func(record string) { got = append(got, record) }}
		for part := range slices.Chunk([]byte(answer), size) {
			if n, err := s.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if want := []string{"a", "b/c d\n", "", "\xff"}; !slices.Equal(got, want) || string(s.begun) != "rest" {
			t.Errorf("%d bytes at a time: %q and %q", size, got, s.begun)
		}
	}
}

func TestMatchedGoesByThePatternsAlone(t *testing.T) {
	dir := t.TempDir()
	c := Command{Dir: dir}
	c.Args = []string{"init", "-q"}
	if err := c.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		".gitignore": "out/\n", "out/a/x": "", "out/b": "", "new": "", "tracked": "", "patterns": "x\ntracked\nout/a/\n!b\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c.Args = []string{"add", "tracked"}
	if err := c.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	var files, folders []string
	patterns := filepath.Join(dir, "patterns")
	err := Matched(context.Background(), c, patterns, func(path string) { files = append(files, path) })
	if err == nil {
		err = MatchedFolders(context.Background(), c, patterns, func(path string) { folders = append(folders, path) })
	}
	if got := fmt.Sprint(files, folders); err != nil || got != "[out/a/x] [out/a]" {
		t.Error(got, err)
	}
	if err := Matched(context.Background(), c, filepath.Join(dir, "none"), func(string) {}); err == nil || !strings.Contains(err.Error(), "exit") {
		t.Error("a missing file of patterns went unnoticed:", err)
	}
}
