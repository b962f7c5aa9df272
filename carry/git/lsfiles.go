package git

import (
	"fmt"
	"strings"
)

// EntriesArgs ask for every index entry with its bits, also those that a sparse index folds into a folder.
func EntriesArgs() []string { return []string{"ls-files", "-z", "--stage", "-v", "--full-name"} }

// Entry is one index entry.
type Entry struct {
	Path         string
	Mode         uint32
	Object       string
	Stage        int // 0 where merged
	SkipWorktree bool
	AssumeSame   bool // the assume-unchanged bit
	Announced    bool // by `git add -N`; only ParseIndex tells (of an answer of git's see Change)
}

// ParseEntries reads what `git ls-files` with EntriesArgs has written: "H 100644 <object> 0<TAB>path<NUL>" each.
func ParseEntries(out []byte) ([]Entry, error) {
	records := text(out)
	entries := make([]Entry, 0, strings.Count(records, "\x00"))
	for len(records) > 0 {
		record, rest, whole := strings.Cut(records, "\x00")
		e, ok := entry(record)
		if !whole || !ok {
			return nil, fmt.Errorf("git: ls-files: cannot read %q", short(record))
		}
		entries, records = append(entries, e), rest
	}
	return entries, nil
}

func entry(record string) (e Entry, ok bool) {
	head, path, ok := strings.Cut(record, "\t")
	if !ok || path == "" || len(head) < len("H 100644 ")+40 || head[1] != ' ' || head[8] != ' ' {
		return e, false
	}
	e.Path = path
	switch head[0] { // the letter in lower case is the assume-unchanged bit
	case 'H', 'M':
	case 'h', 'm':
		e.AssumeSame = true
	case 'S':
		e.SkipWorktree = true
	case 's':
		e.SkipWorktree, e.AssumeSame = true, true
	default:
		return e, false
	}
	if e.Mode, ok = mode(head[2:8]); !ok {
		return e, false
	}
	object, stage, ok := strings.Cut(head[9:], " ")
	if !ok || !isObject(object) || len(stage) != 1 || stage[0] < '0' || stage[0] > '3' {
		return e, false
	}
	e.Object, e.Stage = object, int(stage[0]-'0')
	return e, (e.Stage > 0) == (head[0] == 'M' || head[0] == 'm')
}
