package git

import (
	"fmt"
	"strings"
)

// RulesArgs ask, for the NUL-separated paths on stdin, whether a rule changes their bytes between blob and disk in
// more than their line ends.
func RulesArgs() []string {
	return []string{"check-attr", "-z", "--stdin", "ident", "filter", "working-tree-encoding"}
}

// ParseRuled reads what `git check-attr` with RulesArgs has written, and gives the paths to which at least one of the
// rules applies: "path<NUL>attribute<NUL>value<NUL>" each, the value being "unspecified" or "unset" where none does.
func ParseRuled(out []byte) (map[string]bool, error) {
	ruled := map[string]bool{}
	records := text(out)
	for len(records) > 0 {
		var field [3]string
		for i := range field {
			var whole bool
			if field[i], records, whole = strings.Cut(records, "\x00"); !whole {
				return nil, fmt.Errorf("git: check-attr: %q is not terminated", short(field[i]))
			}
		}
		if field[2] != "unspecified" && field[2] != "unset" {
			ruled[field[0]] = true
		}
	}
	return ruled, nil
}
