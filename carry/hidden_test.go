//go:build unix

package carry

import (
	"strings"
	"testing"
)

// TestBitsOfTheTargetAloneAreRefused: git would not show what comes, and the two would not be equal.
func TestBitsOfTheTargetAloneAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ here, there, refused string }{
		"there alone":              {"", "git update-index --assume-unchanged a.txt", "unsupportedState"},
		"of another path":          {"", "git update-index --assume-unchanged src/b.txt", "unsupportedState"},
		"skipped there alone":      {"", "git update-index --skip-worktree a.txt", "unsupportedState"},
		"on both sides":            {"git update-index --assume-unchanged a.txt", "git update-index --assume-unchanged a.txt", ""},
		"another one":              {"git update-index --skip-worktree a.txt", "git update-index --assume-unchanged a.txt", "unsupportedState"},
		"here alone":               {"git update-index --assume-unchanged a.txt", "", ""},
		"of what is removed here":  {"git rm -q --cached src/b.txt", "git update-index --assume-unchanged src/b.txt", ""},
		"an edit hidden there":     {"", "git update-index --assume-unchanged src/b.txt; echo mine >src/b.txt", "targetDirty"},
		"of a sparse checkout":     {"", "git sparse-checkout set --no-cone '/*' '!/src/'", "unsupportedState"},
		"sparse there, it comes":   {"echo edited >src/b.txt", "git sparse-checkout set --no-cone '/*' '!/src/b.txt'", ""},
		"sparse here, all there":   {"git sparse-checkout set --no-cone '/*' '!/src/'", "", ""},
		"sparse on both sides":     {"git sparse-checkout set --no-cone '/*' '!/src/'", "git sparse-checkout set --no-cone '/*' '!/src/'", ""},
		"sparse, each another one": {"git sparse-checkout set --no-cone '/*' '!/src/'", "git sparse-checkout set --no-cone '/*' '!/docs/'", "unsupportedState"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			target := &repo{t, r.world() + "/target"}
			r.git("worktree", "add", "-q", target.top, "HEAD")
			r.shell(target.top, c.there+"\n:")
			r.shell(r.top, c.here+"\n:")
			r.write("a.txt", "edited\n")
			r.write("new.txt", "new\n")
			before := everything(t, r.world())
			_, _, _, err := r.mergedInto(target, Options{})
			if c.refused != "" {
				if refusal(err) != c.refused {
					t.Errorf("%v, want %s", err, c.refused)
				}
				unchanged(t, r, before)
				return
			}
			if err != nil {
				t.Fatal(explain(err))
			}
			if ours, theirs := r.git("ls-files", "-v"), target.git("ls-files", "-v"); ours != theirs {
				t.Errorf("entries:\n%s", difference(ours, theirs))
			}
			if d := compareTrees(t, r.top, target.top, nil); d != "" {
				t.Errorf("source (-) and target (+) differ:\n%s", d)
			}
			if text := strings.TrimSpace(gitIn(t, target.top, "show", ":a.txt")); text == "edited" {
				t.Error("an edit that was not staged is")
			}
		})
	}
}
