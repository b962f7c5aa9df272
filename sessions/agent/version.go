package agent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is a program's version: major, minor, patch.
type Version [3]int

// ParseVersion finds the first version in what a program says of itself, such as "2.1.332 (Claude Code)".
func ParseVersion(text string) (v Version, ok bool) {
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	for i := range len(text) {
		if digit(text[i]) && (i == 0 || !digit(text[i-1])) {
			if v, ok := versionAt(text[i:]); ok {
				return v, true
			}
		}
	}
	return Version{}, false
}

// versionAt reads the version that text begins with: three numbers of up to nine digits, with dots between.
func versionAt(text string) (v Version, ok bool) {
	for i := range v {
		digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
		if i == len(v)-1 {
			digits = min(digits, 9) // what follows is no part of it
		}
		if digits == 0 || digits > 9 {
			return v, false
		}
		v[i], _ = strconv.Atoi(text[:digits]) // nine digits always fit
		text = text[digits:]
		if i < len(v)-1 {
			if text, ok = strings.CutPrefix(text, "."); !ok {
				return v, false
			}
		}
	}
	return v, true
}

// Before says whether v is older than other.
func (v Version) Before(other Version) bool { return slices.Compare(v[:], other[:]) < 0 }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }
