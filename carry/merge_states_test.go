//go:build unix

package carry

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// ahead makes a worktree whose branch is one commit ahead of the repository's: what change does to its files.
func (r *repo) ahead(change func(target *repo)) *repo {
	r.Helper()
	target := &repo{r.TB, filepath.Join(r.world(), "target")}
	r.git("worktree", "add", "-q", "-b", "target", target.top, "HEAD")
	if change == nil {
		return target
	}
	change(target)
	if target.git("diff", "--cached", "--name-only") == "" {
		target.git("add", "-A", "-f")
	}
	target.git("commit", "-q", "--allow-empty", "-m", "theirs")
	time.Sleep(10 * time.Millisecond) // younger files than the index would be read anew by each git status
	return target
}

// mergedInto carries into a target at another commit and demands that the source is what it was; of a refusal, that the
// target is too.
func (r *repo) mergedInto(target *repo, opts Options) (*Plan, *Result, steps, error) {
	r.Helper()
	source, there := snapshot(r, r.top), everything(r, target.top)
	plan, err := Look(context.Background(), openAt(r, r.top), strings.TrimSpace(r.git("rev-parse", "HEAD")), opts)
	must(r, err)
	r.Cleanup(plan.Close)
	at := openAt(r, target.top)
	must(r, plan.Against(context.Background(), at))
	if after := everything(r, target.top); after != there {
		r.Fatalf("the look changed the target:\n%s", difference(there, after))
	}
	var result *Result
	var recorded steps
	if no := plan.Refused(); no != nil {
		err = no
	} else {
		result, err = plan.Into(context.Background(), at, &recorded, nil)
	}
	if after := snapshot(r, r.top); source != after {
		r.Fatalf("the source was changed:\n%s", difference(source, after))
	}
	return plan, result, recorded, err
}

// TestEveryStateComesToATargetWithAnUnrelatedCommit: what the target has done elsewhere changes nothing in what comes.
func TestEveryStateComesToATargetWithAnUnrelatedCommit(t *testing.T) {
	t.Parallel()
	for name, state := range states {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			state(r)
			target := r.ahead(func(target *repo) {
				info := strings.Fields("100644 " + target.git("hash-object", "-w", "--stdin") + " unrelated")
				target.git("update-index", "--add", "--cacheinfo", strings.Join(info, ","))
				target.write("unrelated", "")
			})
			if _, _, _, err := r.mergedInto(target, Options{}); err != nil {
				t.Fatal(explain(err))
			}
			here, there := comparable(r, r.top, unseen[name]), comparable(r, target.top, append(unseen[name], "unrelated"))
			if d := difference(here, there); d != "" {
				t.Errorf("source (-) and target (+) differ:\n%s", d)
			}
		})
	}
}

// unseen are paths that git calls clean in the source, which is no change that could come to another commit: gone under a
// bit that says that they are, or with bytes that git normalises to the
// same, or an execute bit that it is told not to trust.
var unseen = map[string][]string{
	"fileMode off": {"a.txt"}, "hidden deletions": {"a.txt"}, "autocrlf=input, clean but different": {"win.txt"}, "ident, clean but not expanded": {"v.c"},
}

// comparable is a worktree without its HEAD and the bits of its entries, which stay what they are in each.
func comparable(r *repo, top string, but []string) string {
	r.Helper()
	var lines []string
	disk := walked(r, top, but)
	ignored := ignoredOf(r.top, slices.Sorted(maps.Keys(disk)))
	for line := range strings.SplitSeq(describe(r, top, disk, ignored, true, but), "\n") {
		if strings.HasPrefix(line, "head ") {
			continue
		}
		if bits, rest, ok := strings.Cut(line, " 1"); ok && strings.HasPrefix(bits, `index "`) {
			line = `index "H 1` + rest
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
