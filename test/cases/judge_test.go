//go:build unix

package cases

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestJudgeIsNotBlind runs a recipe whose faults are known: the judge lets it pass where it is right and says what is
// wrong where it is not.
func TestJudgeIsNotBlind(t *testing.T) {
	b := newBench(t, "naive.sh")
	b.blind = true
	for name, fault := range map[string]string{
		"001-binary-and-no-newline":              "",
		"002-staged-differs-from-worktree":       "",
		"008-rename-plus-edit":                   "",
		"093-only-untracked":                     "",
		"005-intent-to-add":                      "left behind",
		"039-ident-and-encoding":                 `bytes "v.c"`,
		"044-skip-worktree-edit":                 `bytes "a.txt"`,
		"051-rebase-stopped":                     "not refused",
		"049-unmerged-index":                     "not as it was",
		"058-commit-lands-in-the-middle":         "",
		"070-target-exists-not-empty":            "not as it was",
		"121-autocrlf-input-clean-but-different": `bytes "win.txt"`,
		"126-hidden-edits-come-and-bits-stay":    `entry "a.txt"`,
		"078-submodule-dirty":                    `lost "sub"`,
		"023-many-untracked-files":               "",
		"091-parent-index-must-not-be-rewritten": "",
		"064-git-variables-in-the-environment":   "a branch was made in the other repository",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := b.judge(t, name, user{name: "user"})
			faults := strings.Join(r.verdict.faults, " | ")
			if fault == "" && faults != "" || !strings.Contains(faults, fault) {
				t.Errorf("want fault %q, found %q", fault, faults)
			}
		})
	}
}

// TestEachCaseSaysWhereItComesFrom keeps the bank readable: a head with state, expectation and source, a known WANT.
func TestEachCaseSaysWhereItComesFrom(t *testing.T) {
	kind := regexp.MustCompile(`(?m)^KIND=\S+ WANT=(\w+)`)
	numbers := map[string]string{}
	for _, name := range bank(t) {
		text, err := os.ReadFile("bank/" + name + ".sh")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"# CASE  : " + name + "\n", "\n# KIND  : ", "\n# SOURCE: ", "\n# STATE : ", "\n# EXPECT: ", "\nclaim() ", "\nrun \"$@\"\n"} {
			if !strings.Contains(string(text), line) {
				t.Errorf("%s has no line %q", name, line)
			}
		}
		want := kind.FindStringSubmatch(string(text))
		if want == nil || !slices.Contains([]string{"exact", "either", "report", "refuse", "list"}, want[1]) || !strings.Contains(string(text), "WANT: "+want[1]) {
			t.Errorf("%s: WANT is unknown, or not the one of its head: %v", name, want)
		}
		if other := numbers[name[:3]]; other != "" {
			t.Errorf("%s and %s have the same number", name, other)
		}
		numbers[name[:3]] = name
	}
}
