package guard_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/sessions/guard"
)

// TestReadingGrowsWithTheLineAndNoFaster measures what is allocated for a line and for one twice as long.
func TestReadingGrowsWithTheLineAndNoFaster(t *testing.T) {
	spent := func(shell guard.Shell, line string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		guard.Read(shell, line, agents())
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	size := 4 << 10
	if testing.Short() {
		size = 2 << 10
	}
	for _, shell := range []guard.Shell{guard.POSIX, guard.PowerShell, guard.Cmd} {
		for _, part := range []string{
			"a", " ", "a ", "claude -c;", "claude --resume " + live + " ", "'a' ", `"a" `, `"a`, "'", `\`, `\"`, "$(", "$(a ", "`", "`a` ", "( ", "((", "$((", "{ ", "[[ ", "a|", "a&&", "! ",
			"if a; then ", "case a in ", "f() ", "f() { ", "while a; do ", "env ", "env A=b ", "sudo ", "npx ", "sh -c ", "sh -c 'a", "time ", "# a ", "a #\n", "<<E\n", "<a ", ">a ", "<(", "${a:-", "${a", "a=", "a[",
			"{a,", "@(", "*", "~", "!", "^", "%", "&", ";", "|", "\n", "\\\n", ",", "--", "=", "–", "’", "“", "#", "function ", "alias ", "export ", "for a in ", "-c ", "coproc ",
		} {
			once := strings.Repeat(part, size/len(part))
			twice := strings.Repeat(part, 2*size/len(part))
			first, second := spent(shell, once), spent(shell, twice)
			if second > 3*first+(64<<10) {
				t.Errorf("%s: %q: %d bytes for %d of the line, %d for twice as much", shell, part, first, size, second)
			}
			if first > uint64(600*size) {
				t.Errorf("%s: %q: %d bytes for %d of the line", shell, part, first, size)
			}
		}
	}
	if got := guard.Read(guard.POSIX, strings.Repeat("a", 1<<20), agents()); got.Unclear == "" {
		t.Error("a line of a megabyte is read")
	}
}

// FuzzRead takes any line: nothing stops it, and a reading names sessions as they are.
func FuzzRead(f *testing.F) {
	for _, s := range shapesOfPOSIX() {
		f.Add(s.line)
	}
	f.Add(`& 'claude' "--resume"` + " `$(@{\"")
	f.Fuzz(func(t *testing.T, line string) {
		for _, shell := range []guard.Shell{guard.POSIX, guard.PowerShell, guard.Cmd} {
			for _, target := range guard.Read(shell, line, agents()).Targets {
				if target.ID != "" && len(target.ID) != len(live) {
					t.Errorf("%s: %q: target %q", shell, line, target.ID)
				}
			}
		}
	})
}
