package test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// documents are the project's own texts, by their path from the top.
func documents(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "node_modules" || d.Name() == "bin" || d.Name() == "dist"):
			return fs.SkipDir
		case filepath.Ext(path) == ".md":
			text, err := os.ReadFile(path)
			found[path] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// anchor is what GitHub makes of a heading.
func anchor(heading string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(heading)) {
		switch {
		case r == ' ':
			out.WriteByte('-')
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			out.WriteRune(r)
		}
	}
	return out.String()
}

// TestEveryLinkOfTheDocumentsLeadsSomewhere: to a file of the project and, behind a #, to a heading of it.
func TestEveryLinkOfTheDocumentsLeadsSomewhere(t *testing.T) {
	all, links := documents(t), 0
	for from, text := range all {
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			to, at, _ := strings.Cut(found[1], "#")
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			links++
			path := from
			if to != "" {
				path = filepath.Join(filepath.Dir(from), filepath.FromSlash(to))
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %s leads nowhere", from, found[1])
				continue
			}
			if at == "" || filepath.Ext(path) != ".md" {
				continue
			}
			there := false
			for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(all[path], ""), -1) {
				there = there || anchor(h[1]) == at
			}
			if !there {
				t.Errorf("%s: %s has no heading %s", from, path, at)
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links were found", links)
	}
}

// TestEveryDocumentIsLedTo: whoever reads only the README gets to each page of docs/.
func TestEveryDocumentIsLedTo(t *testing.T) {
	all := documents(t)
	led, next := map[string]bool{"../README.md": true}, []string{"../README.md"}
	for len(next) > 0 {
		from := next[0]
		next = next[1:]
		for _, found := range link.FindAllStringSubmatch(all[from], -1) {
			to, _, _ := strings.Cut(found[1], "#")
			path := filepath.Join(filepath.Dir(from), filepath.FromSlash(to))
			if _, is := all[path]; is && !led[path] {
				led[path] = true
				next = append(next, path)
			}
		}
	}
	for path := range all {
		if strings.HasPrefix(path, "../docs/") && !led[path] {
			t.Errorf("no document leads to %s", path)
		}
	}
}

// TestTheComparisonWithOrcaIsWhole: each point of the list has a row, in its order, with a test that exists.
func TestTheComparisonWithOrcaIsWhole(t *testing.T) {
	text, err := os.ReadFile("../docs/compared-with-orca.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for section, points := range []int{12, 7, 6, 9, 11, 7, 5, 10, 8, 3, 8, 7, 19} {
		for point := range points {
			want = append(want, fmt.Sprintf("%d.%d", section+1, point+1))
		}
	}
	want = append(want, "14")
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+(?:\.\d+)?) \| (.+) \| (.+) \|$`).FindAllSubmatch(text, -1) {
		got = append(got, string(row[1]))
		if !regexp.MustCompile("`Test[A-Za-z0-9]+`|story [a-z]+").Match(row[3]) {
			t.Errorf("%s is shown by nothing", row[1])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the points are %v", got)
	}
	namedTestsExist(t, text)
}
