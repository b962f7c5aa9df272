package git

import "strings"

// ValidBranch says whether git accepts name as the short name of a branch, by the rules of git-check-ref-format(1) and
// of `git check-ref-format --branch`. It starts no process; a test holds it against git's own answer.
// Stricter than git in one thing: a name that looks like a whole object id is refused, since git takes it for one.
func ValidBranch(name string) bool {
	switch {
	case name == "", name == "@", name == "HEAD", name[0] == '-', strings.HasSuffix(name, "."), IsObjectID(name):
		return false
	case strings.Contains(name, ".."), strings.Contains(name, "@{"), strings.ContainsAny(name, " ~^:?*[\\\x7f"):
		return false
	}
	for i := range len(name) {
		if name[i] < ' ' {
			return false
		}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}
