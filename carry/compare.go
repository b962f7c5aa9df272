package carry

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// Compared is a file that a workspace has otherwise than a commit has it.
type Compared struct {
	Path      string `json:"path"`
	OldPath   string `json:"oldPath,omitempty"` // of one that was renamed
	Change    string `json:"change"`            // added, modified, deleted, renamed, typeChanged, unmerged, untracked
	Committed bool   `json:"committed"`         // all of the change is
	Additions int    `json:"additions"`         // lines
	Deletions int    `json:"deletions"`
	Binary    bool   `json:"binary,omitempty"` // no lines are counted
}

// Compare lists what a workspace has changed since a commit, committed or not, untracked files too: the commit on the left,
// the files as they are now on the right. It writes nothing.
func Compare(ctx context.Context, w worktree.Worktree, base string) ([]Compared, error) {
	at := git.Command{Dir: w.Path}
	found, err := git.Differences(ctx, at, base)
	if err != nil {
		return nil, err
	}
	at.Args = git.StatusArgs(false)
	status, err := statusOf(ctx, at)
	if err != nil {
		return nil, err
	}
	pending := map[string]bool{}
	for _, c := range status.Changed {
		pending[c.Path] = true
	}
	for _, name := range status.Unmerged {
		pending[name] = true
	}
	files := []Compared{}
	for _, d := range found {
		files = append(files, Compared{
			Path: d.Path, OldPath: d.OldPath, Change: changeNamed(d.Letter), Committed: !pending[d.Path] && !pending[d.OldPath],
			Additions: d.Additions, Deletions: d.Deletions, Binary: d.Binary,
		})
	}
	more, err := untrackedFiles(w, status.Untracked)
	if err != nil {
		return nil, err
	}
	files = append(files, more...)
	slices.SortStableFunc(files, func(a, b Compared) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

func changeNamed(letter byte) string {
	switch letter {
	case 'A':
		return "added"
	case 'D':
		return "deleted"
	case 'R', 'C':
		return "renamed"
	case 'T':
		return "typeChanged"
	case 'U':
		return "unmerged"
	}
	return "modified"
}

// untrackedFiles counts the lines of files that git does not know.
func untrackedFiles(w worktree.Worktree, names []string) ([]Compared, error) {
	t, err := openTree(w.Path)
	if err != nil {
		return nil, err
	}
	defer t.close()
	look := t.lookup()
	var files []Compared
	for _, name := range names {
		if strings.HasSuffix(name, "/") {
			continue // a repository of its own
		}
		f := Compared{Path: name, Change: "untracked"}
		switch s, err := look.lstat(name); {
		case err != nil && !isDenied(err):
			return nil, err
		case s.kind == absent || s.kind == special || s.kind == folder:
			continue
		case s.kind == link:
			f.Additions = 1
		default:
			f.Additions, f.Binary = countLines(t, name, s.size)
		}
		files = append(files, f)
	}
	return files, nil
}

// countable is the size from which on lines are not counted.
const countable = 16 << 20

// countLines counts the lines of a file; one that holds a NUL, is large or cannot be read counts as binary.
func countLines(t *tree, name string, size int64) (count int, binary bool) {
	if size > countable {
		return 0, true
	}
	f, err := t.open(name)
	if err != nil {
		return 0, true
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, countable))
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return 0, true
	}
	count = bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		count++
	}
	return count, false
}
