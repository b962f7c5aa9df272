package agent

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Version is a program's version: major, minor, patch.
type Version [3]int

var version = regexp.MustCompile(`(?:^|\D)(\d{1,9})\.(\d{1,9})\.(\d{1,9})`)

// ParseVersion finds the first version in what a program says of itself, such as "2.1.332 (Claude Code)".
func ParseVersion(text string) (v Version, ok bool) {
	found := version.FindStringSubmatch(text)
	if found == nil {
		return v, false
	}
	for i := range v {
		v[i], _ = strconv.Atoi(found[i+1]) // nine digits always fit
	}
	return v, true
}

// Before says whether v is older than other.
func (v Version) Before(other Version) bool { return slices.Compare(v[:], other[:]) < 0 }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }
