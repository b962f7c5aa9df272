package git

import (
	"strings"
	"testing"
)

const (
	zero = "0000000000000000000000000000000000000000"
	one  = "1111111111111111111111111111111111111111"
)

func TestStatusIsReadRecordByRecord(t *testing.T) {
	out := strings.Join([]string{
		"# branch.oid " + one, "# branch.head main", "# stash 2",
		"1 .M N... 100644 100644 100755 " + one + " " + one + " a b\nc",
		"1 .A N... 000000 000000 100644 " + zero + " " + zero + " announced",
		"u UU N... 100644 100644 100644 100644 " + one + " " + one + " " + one + " conflict",
		"? # stash 2", "? 1 .M N... x", "? nested/", "! ignored/", "! \xff\xfe",
	}, "\x00") + "\x00"
	s, err := ParseStatus([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	if s.Head != one || len(s.Changed) != 2 || s.Changed[0].Path != "a b\nc" || s.Changed[0].ModeWorktree != ModeExecutable ||
		s.Changed[0].IntentToAdd() || !s.Changed[1].IntentToAdd() || s.Unmerged[0] != "conflict" {
		t.Errorf("got %+v", s)
	}
	if got := strings.Join(s.Untracked, "|"); got != "# stash 2|1 .M N... x|nested/" {
		t.Errorf("untracked %q", got)
	}
	if got := strings.Join(s.Ignored, "|"); got != "ignored/|\xff\xfe" {
		t.Errorf("ignored %q", got)
	}
}

func TestStatusThatIsCutOffOrForeignIsAnError(t *testing.T) {
	for _, out := range []string{
		"? a", "x y\x00", "1 .M\x00", "?\x00", "\x00",
		"1 .M N... 100644 100644 10064 " + one + " " + one + " a\x00",
		"1 .M N... 100644 100644 100644 " + one + " " + one[1:] + " a\x00",
		"1 .M N... 100644 100644 100644 " + one + " " + one + " \x00",
		"2 R. N... 100644 100644 100644 " + one + " " + one + " R100 b\x00a\x00",
	} {
		if s, err := ParseStatus([]byte(out)); err == nil {
			t.Errorf("%q was read as %+v", out, s)
		}
	}
}

func TestEntriesKeepTheirBits(t *testing.T) {
	out := "H 100644 " + one + " 0\ta\x00S 100755 " + one + " 0\tb\tc\x00h 120000 " + one + " 0\td\x00s 160000 " + one + " 0\te\x00M 100644 " + one + " 2\tf\x00"
	entries, err := ParseEntries([]byte(out))
	if err != nil || len(entries) != 5 {
		t.Fatal(entries, err)
	}
	if e := entries[1]; e.Path != "b\tc" || e.Mode != ModeExecutable || !e.SkipWorktree || e.AssumeSame {
		t.Errorf("got %+v", e)
	}
	if e := entries[3]; e.Mode != ModeSubmodule || !e.SkipWorktree || !e.AssumeSame {
		t.Errorf("got %+v", e)
	}
	if entries[4].Stage != 2 || !entries[2].AssumeSame || entries[0].AssumeSame {
		t.Errorf("got %+v", entries)
	}
	for _, out := range []string{"H 100644 " + one + " 0\ta", "Q 100644 " + one + " 0\ta\x00", "H 100644 " + one + " 9\ta\x00", "H 1 2 3\ta\x00", "\x00"} {
		if e, err := ParseEntries([]byte(out)); err == nil {
			t.Errorf("%q was read as %+v", out, e)
		}
	}
}

func TestRuledPathsAreThoseWithAValue(t *testing.T) {
	ruled, err := ParseRuled([]byte("a\x00ident\x00unspecified\x00a\x00filter\x00lfs\x00b\x00ident\x00unset\x00c\x00ident\x00set\x00"))
	if err != nil || len(ruled) != 2 || !ruled["a"] || !ruled["c"] {
		t.Error(ruled, err)
	}
	if _, err := ParseRuled([]byte("a\x00ident\x00")); err == nil {
		t.Error("a cut answer was read")
	}
}
