package git

import (
	"reflect"
	"strings"
	"testing"
)

func TestDifferencesAreReadWhole(t *testing.T) {
	const at = "0123456789012345678901234567890123456789 0123456789012345678901234567890123456789 "
	text := ":100644 100644 " + at + "M\x00a\nb\x00:100644 100644 " + at + "R087\x00old\x00new\x00:100644 100644 " + at + "U\x00u\x00:100644 100644 " + at + "M\x00u\x00" +
		"1\t2\ta\nb\x00-\t-\t\x00old\x00new\x000\t0\tu\x00"
	fields := strings.Split(strings.TrimSuffix(text, "\x00"), "\x00")
	got, err := parseDifferences(fields)
	want := []Difference{{Path: "a\nb", Letter: 'M', Additions: 1, Deletions: 2}, {Path: "new", OldPath: "old", Letter: 'R', Binary: true}, {Path: "u", Letter: 'U'}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range [][]string{{"x"}, {":1 2 3 4 M"}, {":1 2 3"}, {"1\t2\tunknown"}, {":1 2 3 4 R1", "old"}, {":1 2 3 4 M", "a", "x\ty\ta"}} {
		if got, err := parseDifferences(bad); err == nil {
			t.Errorf("%q is taken for %+v", bad, got)
		}
	}
}
