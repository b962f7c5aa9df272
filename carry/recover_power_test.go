//go:build unix

package carry

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAfterAPowerLossNothingOfTheParentIsGone takes from a killed fork what the disk need not have yet: the journal's lines
// after its last sync, and the content, or the names, of files that came after it. What can be told to be ours goes; what
// cannot stays and is named; and all of the parent is as before.
func TestAfterAPowerLossNothingOfTheParentIsGone(t *testing.T) {
	t.Parallel()
	empty := func(name string) func(r *repo) { return func(r *repo) { must(r, os.Truncate(r.world()+"/"+name, 0)) } }
	gone := func(name string) func(r *repo) { return func(r *repo) { must(r, os.RemoveAll(r.world()+"/"+name)) } }
	const entry = "parent/.git/worktrees/child/"
	for name, c := range map[string]struct {
		stage string
		lose  func(r *repo)
		want  string
	}{
		"the journal's last line":               {"made", cutLine, "rolledBack"},
		"the content of a carried file":         {"carried", empty("x/child/a.txt"), "kept"},
		"a carried file":                        {"carried", gone("x/child/a.txt"), "kept"},
		"a file of the checkout":                {"made", gone("x/child/run.sh"), "kept"},
		"a folder of the checkout":              {"branch", func(*repo) {}, "rolledBack"},
		"the child's index":                     {"carried", gone(entry + "index"), ""},
		"the content of the child's index":      {"carried", empty(entry + "index"), ""},
		"the content of the child's HEAD":       {"made", empty(entry + "HEAD"), ""},
		"the child's HEAD":                      {"made", gone(entry + "HEAD"), ""},
		"the content of the child's .git":       {"made", empty("x/child/.git"), ""},
		"the entry's gitdir":                    {"made", empty(entry + "gitdir"), ""},
		"the entry":                             {"made", gone(entry), ""},
		"the content of the branch":             {"branch", empty("parent/.git/refs/heads/feat/child"), ""},
		"the branch":                            {"branch", gone("parent/.git/refs/heads/feat/child"), "rolledBack"},
		"the branch's reflog":                   {"made", gone("parent/.git/logs/refs/heads/feat/child"), ""},
		"the child":                             {"carried", gone("x"), "rolledBack"},
		"everything that was not in the parent": {"carried", func(r *repo) { gone("x")(r); gone(entry)(r) }, "rolledBack"},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.write("a.txt", "the parent's edit\n")
			before, whole := everything(t, r.top), everything(t, r.world())
			killed(t, r, c.stage)
			c.lose(r)
			got := recovered(t, r)
			if len(got) != 1 || got[0].Operation != operation {
				t.Fatalf("%+v", got)
			}
			t.Logf("%s: %s %s %v", name, got[0].Action, strings.Join(got[0].Paths, " "), got[0].Err)
			if c.want != "" && got[0].Action != c.want {
				t.Errorf("%+v, want %s", got[0], c.want)
			}
			if got[0].Action == "rolledBack" {
				for line := range strings.Lines(difference(whole, everything(t, r.world()))) {
					// A branch that has lost its reflog, or a reflog its branch, may be anybody's.
					if !strings.Contains(line, "refs/heads/feat") || !strings.Contains(name, "branch") {
						t.Errorf("not as before: %s", line)
					}
				}
				return
			}
			if len(got[0].Paths) == 0 && got[0].Err == nil {
				t.Error("it does not say what stands")
			}
			for line := range strings.Lines(before) {
				if !strings.Contains(everything(t, r.top), strings.TrimSuffix(line, "\n")) {
					t.Errorf("the parent has lost %s", line)
				}
			}
		})
	}
}

func journalOf(r *repo) string { return journalFile(filepath.Join(r.top, ".git"), operation) }

// cutLine takes the journal's last line away.
func cutLine(r *repo) {
	text, err := os.ReadFile(journalOf(r))
	must(r, err)
	text = bytes.TrimSuffix(text, []byte("\n"))
	must(r, os.Truncate(journalOf(r), int64(bytes.LastIndexByte(text, '\n')+1)))
}
