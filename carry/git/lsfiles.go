package git

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// EntriesArgs ask for every index entry with its bits, also those that a sparse index folds into a folder.
func EntriesArgs() []string { return []string{"ls-files", "-z", "--stage", "-v", "--full-name"} }

// Entry is one index entry.
type Entry struct {
	Path         string
	Object       string // the id as bytes, 20 or 32: there may be very many of them
	Mode         uint32
	Stage        uint8 // 0 where merged
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
	e.Object, e.Stage = RawID(object), stage[0]-'0'
	return e, (e.Stage > 0) == (head[0] == 'M' || head[0] == 'm')
}

// RawID gives the bytes of an id that isObject has accepted.
func RawID(object string) string {
	raw, _ := hex.DecodeString(object)
	return string(raw)
}

// The empty blob, in both object formats.
const (
	emptyBlob    = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	emptyBlob256 = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
)

// IsEmptyBlob says whether an object id, in hex digits, is that of a file without content.
func IsEmptyBlob(object string) bool { return object == emptyBlob || object == emptyBlob256 }

// Empty says whether the entry is a file without content.
func (e *Entry) Empty() bool { return IsEmptyBlob(hex.EncodeToString([]byte(e.Object))) }
