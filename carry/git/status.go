package git

import (
	"fmt"
	"strings"
)

// Modes that git gives to an entry; 0 stands for "not there".
const (
	ModeFile       = 0o100644
	ModeExecutable = 0o100755
	ModeLink       = 0o120000
	ModeSubmodule  = 0o160000
)

// StatusArgs ask for everything that a worktree has, whatever its settings hide. With ignored, what the ignore rules
// hide is listed too: a wholly ignored folder as one path with a slash at its end. Of a submodule only its commit is
// looked at, which starts no git in it: it may be anybody's.
func StatusArgs(ignored bool) []string {
	args := []string{
		"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--untracked-files=all", "--no-renames",
		"--ignore-submodules=dirty", "--no-column",
	}
	if ignored {
		return append(args, "--ignored=matching")
	}
	return append(args, "--ignored=no")
}

// Status is the answer to StatusArgs. Paths are relative to the top level, with slashes, in the bytes git has them in;
// a nested repository or a whole ignored folder ends in a slash.
type Status struct {
	Head      string // object id of HEAD, "" where the branch is unborn
	Changed   []Change
	Unmerged  []string
	Untracked []string
	Ignored   []string
}

// Change is a path whose HEAD, index and disk are not all the same. Its letters are hints; modes and objects are facts.
type Change struct {
	Staged, Worktree                  byte   // '.' unmodified, M T A D
	Submodule                         string // "N...", or S and the letters C (commit), M (modified), U (untracked)
	ModeHead, ModeIndex, ModeWorktree uint32
	ObjectHead, ObjectIndex           string
	Path                              string
}

// IntentToAdd says that the index entry only announces the path (`git add -N`). The letters are the one place where
// git says so: its modes and objects are those of an absent entry, or of an empty file once that is gone from disk
// (.A and DA with the file there, DD without; .D without is told apart from a deleted empty file by the base alone).
func (c Change) IntentToAdd() bool {
	return c.Worktree == 'A' || c.Staged == 'D' && c.Worktree == 'D' || c.Staged == '.' && c.Worktree == 'D' && c.ModeHead == 0
}

// ParseStatus reads what `git status` with StatusArgs has written.
func ParseStatus(out []byte) (*Status, error) {
	s := new(Status)
	records := text(out)
	for len(records) > 0 {
		record, rest, whole := strings.Cut(records, "\x00")
		if !whole {
			return nil, fmt.Errorf("git: status: %q is not terminated", short(record))
		}
		records = rest
		if err := s.add(record, &records); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Status) add(record string, rest *string) error {
	bad := fmt.Errorf("git: status: cannot read %q", short(record))
	if len(record) < 3 || record[1] != ' ' {
		return bad
	}
	body := record[2:]
	switch record[0] {
	case '#':
		switch oid, ok := strings.CutPrefix(body, "branch.oid "); {
		case !ok, oid == "(initial)":
		case isObject(oid):
			s.Head = oid
		default:
			return bad
		}
	case '?':
		s.Untracked = append(s.Untracked, body)
	case '!':
		s.Ignored = append(s.Ignored, body)
	case '1':
		c, ok := change(body)
		if !ok {
			return bad
		}
		s.Changed = append(s.Changed, c)
	case '2': // never asked for (--no-renames): both names are read all the same, so that no record is taken for another
		if _, after, ok := strings.Cut(*rest, "\x00"); ok {
			*rest = after
		}
		return bad
	case 'u':
		path, ok := unmerged(body)
		if !ok {
			return bad
		}
		s.Unmerged = append(s.Unmerged, path)
	default:
		return bad
	}
	return nil
}

// change reads "XY sub mH mI mW hH hI path".
func change(body string) (Change, bool) {
	f := strings.SplitN(body, " ", 8)
	if len(f) != 8 || !letters(f[0], ".MTAD") || !submodule(f[1]) || f[7] == "" {
		return Change{}, false
	}
	c := Change{Staged: f[0][0], Worktree: f[0][1], Submodule: f[1], ObjectHead: f[5], ObjectIndex: f[6], Path: f[7]}
	var ok [3]bool
	c.ModeHead, ok[0] = mode(f[2])
	c.ModeIndex, ok[1] = mode(f[3])
	c.ModeWorktree, ok[2] = mode(f[4])
	return c, ok == [3]bool{true, true, true} && isObject(c.ObjectHead) && isObject(c.ObjectIndex)
}

// unmerged reads "XY sub m1 m2 m3 mW h1 h2 h3 path".
func unmerged(body string) (path string, ok bool) {
	f := strings.SplitN(body, " ", 10)
	if len(f) != 10 || !letters(f[0], "DAU") || !submodule(f[1]) || f[9] == "" {
		return "", false
	}
	for _, m := range f[2:6] {
		if _, ok := mode(m); !ok {
			return "", false
		}
	}
	return f[9], isObject(f[6]) && isObject(f[7]) && isObject(f[8])
}

// letters says whether xy are two of these letters.
func letters(xy, these string) bool {
	return len(xy) == 2 && strings.IndexByte(these, xy[0]) >= 0 && strings.IndexByte(these, xy[1]) >= 0
}

func submodule(s string) bool {
	return s == "N..." || len(s) == 4 && s[0] == 'S' && (s[1] == 'C' || s[1] == '.') && (s[2] == 'M' || s[2] == '.') && (s[3] == 'U' || s[3] == '.')
}

func mode(s string) (uint32, bool) {
	if len(s) != 6 {
		return 0, false
	}
	var m uint32
	for i := range len(s) {
		if s[i] < '0' || s[i] > '7' {
			return 0, false
		}
		m = m<<3 | uint32(s[i]-'0')
	}
	return m, true
}

// isObject accepts the ids of both object formats, SHA-1 and SHA-256.
func isObject(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}

// text is one string for a whole answer, so that its paths are slices of it rather than copies.
func text(out []byte) string { return string(out) }

func short(s string) string { return s[:min(len(s), 80)] }
