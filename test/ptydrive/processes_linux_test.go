package ptydrive

import (
	"os"
	"testing"
)

func TestStatLinesAreReadWhateverTheCommandIsCalled(t *testing.T) {
	const rest = " S 41 42 42 34816 42 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000 200"
	for _, command := range []string{"sh", "a b", "a) S 1 (b", "", "ü"} {
		p, ok := parseStat("42 (" + command + ")" + rest)
		want := process{pid: 42, parent: 41, session: 42, started: "98765", command: command}
		if !ok || p != want {
			t.Errorf("%q: got %+v, %v", command, p, ok)
		}
	}
	for _, broken := range []string{"", "42", "42 (sh) S 41", "x (sh)" + rest} {
		if p, ok := parseStat(broken); ok {
			t.Errorf("%q: got %+v", broken, p)
		}
	}
}

func TestAFamilyIsWhatRootStartedAndNothingElse(t *testing.T) {
	table := []process{
		{pid: 1, session: 1},
		{pid: 10, parent: 1, session: 10},
		{pid: 20, parent: 10, session: 20},
		{pid: 30, parent: 1, session: 20},
		{pid: 31, parent: 30, session: 31},
		{pid: 40, parent: 20, session: 40},
		{pid: 50, parent: 10, session: 10},
	}
	got := map[int]bool{}
	for _, p := range family(table, 20) {
		got[p.pid] = true
	}
	for _, p := range table {
		if want := p.pid >= 20 && p.pid <= 40; got[p.pid] != want {
			t.Errorf("%d: in the family %v", p.pid, got[p.pid])
		}
	}
}

func TestOurOwnProcessIsListed(t *testing.T) {
	table, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range table {
		if p.pid == os.Getpid() && p.parent == os.Getppid() {
			return
		}
	}
	t.Errorf("%d is not among %v", os.Getpid(), table)
}
