//go:build unix

package carry

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/carry/git"
)

// TestMergesOfRandomEditsAreThoseOfStash edits both sides at random and holds the merge against `git stash apply --index`
// in a third workspace, fed by `git stash create` on a copy of the source's index. Where both succeed they must agree, to
// the byte and the entry; where stash succeeds the carry may not refuse; where stash fails with the index the carry may
// still succeed, if the files alone are what `git stash apply` makes of them.
func TestMergesOfRandomEditsAreThoseOfStash(t *testing.T) {
	t.Parallel()
	rounds := *roundsFlag / 6
	if testing.Short() {
		rounds = min(rounds, 6)
	}
	t.Logf("-seed %d, %d rounds", *seedFlag, rounds)
	ends := map[string]int{}
	for round := range rounds {
		e := &editor{rand: rand.New(rand.NewPCG(*seedFlag, uint64(round)))}
		ends[e.round(t, round)]++
	}
	t.Log(ends)
	if rounds >= 20 && (ends["both"] == 0 || ends["refused"] == 0) {
		t.Errorf("not a fair mixture: %v", ends)
	}
}

// editor makes edits of one side.
type editor struct {
	*repo
	rand *rand.Rand
	done []string
}

var edited = []string{"f0", "f1", "f2", "f3", "d/g0", "d/g1"}

// edit changes one file in one of the ways that stash can bring.
func (e *editor) edit(side string) {
	name := edited[e.rand.IntN(len(edited))]
	content, err := os.ReadFile(e.path(name))
	if err != nil {
		return
	}
	lines := strings.SplitAfter(string(content), "\n")
	at := e.rand.IntN(len(lines))
	what := e.rand.IntN(16)
	e.done = append(e.done, fmt.Sprintf("%s %d %s@%d", side, what, name, at))
	own := fmt.Sprintf("%s %d of %s\n", side, e.rand.IntN(1000), name)
	switch what {
	case 0, 1, 2, 3, 4:
		lines[at] = own
	case 5, 6:
		lines = slices.Insert(lines, at, own)
	case 7:
		lines = slices.Delete(lines, at, min(at+2, len(lines)))
	case 8:
		lines[at] = fmt.Sprintf("the same of %s\n", name)
	case 9:
		must(e, os.Chmod(e.path(name), []os.FileMode{0o755, 0o644}[e.rand.IntN(2)]))
		return
	case 10:
		e.git("add", "-A")
		return
	case 11:
		e.git("add", name)
		return
	case 12:
		must(e, os.Remove(e.path(name)))
		return
	case 13:
		if _, err := tryGit(e.top, "mv", name, name+"-"+e.pick(side, "moved")); err == nil {
			e.git("add", name+"*")
		}
		return
	case 14:
		e.write("new-"+e.pick(side, side, side, "both"), e.pick(own, "the same\n"))
		e.git("add", "new-*")
		return
	case 15:
		e.git("checkout", "-q", "HEAD", "--", name)
		return
	}
	info, err := os.Stat(e.path(name))
	must(e, err)
	must(e, os.WriteFile(e.path(name), []byte(strings.Join(lines, "")), info.Mode()))
}

func (e *editor) pick(from ...string) string { return from[e.rand.IntN(len(from))] }

// round says how it has ended.
func (e *editor) round(t *testing.T, round int) string {
	t.Helper()
	r := newRepo(t)
	for _, name := range edited {
		r.write(name, strings.ReplaceAll(numbered(), "line", "line of "+name))
	}
	r.commit("edited")
	target := r.ahead(func(target *repo) {
		e.repo = target
		for range e.rand.IntN(5) {
			e.edit("there")
		}
		target.git("add", "-A")
	})
	e.repo = r
	for range 1 + e.rand.IntN(5) {
		e.edit("here")
	}
	oracle := filepath.Join(r.world(), "oracle")
	r.git("worktree", "add", "-q", "--detach", oracle, "target")
	copied := filepath.Join(r.world(), "index")
	must(t, copyFile(filepath.Join(r.top, ".git", "index"), copied))
	created, err := git.Command{
		Dir: r.top, Index: copied, Args: []string{"stash", "create"}, Config: []string{"user.name=T", "user.email=t@example.invalid"},
	}.Output(t.Context())
	if err != nil && r.git("status", "--porcelain", "-uno") != "" {
		return "stash cannot"
	}
	stash := string(created)
	untracked := r.git("ls-files", "--others", "--exclude-standard") // stash leaves them
	apply := func(args ...string) bool {
		if stash == "" {
			return true
		}
		_, err := tryGit(oracle, append(append([]string{"stash", "apply", "-q"}, args...), strings.TrimSpace(stash))...)
		return err == nil
	}
	whole := apply("--index")

	_, _, _, err = r.mergedInto(target, Options{})
	state := func(top string) string { // of what is tracked
		at := &repo{t, top}
		but := strings.Split(untracked, "\n")
		return comparable(at, top, but)
	}
	switch {
	case err != nil && refusal(err) != "mergeConflict":
		t.Errorf("round %d: %s\n%q", round, explain(err), e.done)
		return refusal(err)
	case err != nil && whole:
		t.Errorf("round %d: refused what stash brings: %s\n%q", round, explain(err), e.done)
	case err != nil:
		return "refused"
	case whole:
		d := difference(state(oracle), state(target.top))
		if d != "" && strings.Count(d, "\n") == 1 && strings.Contains(d, "moved") { // stash forgets the new mode of a renamed entry
			d = difference(strings.ReplaceAll(state(oracle), " 100755 ", " 100644 "), strings.ReplaceAll(state(target.top), " 100755 ", " 100644 "))
		}
		if d != "" {
			t.Errorf("round %d: stash (-) and carry (+) differ:\n%s\n%q", round, d, e.done)
		}
		return "both"
	}
	(&repo{t, oracle}).git("reset", "-q", "--hard")
	(&repo{t, oracle}).git("clean", "-fdq")
	if !apply() {
		t.Errorf("round %d: carried what stash cannot\n%q", round, e.done)
		return "carried alone"
	}
	files := func(top string) string {
		var lines []string
		for line := range strings.SplitSeq(state(top), "\n") {
			if strings.HasPrefix(line, "disk ") {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "\n")
	}
	if d := difference(files(oracle), files(target.top)); d != "" {
		t.Errorf("round %d: the files of stash (-) and carry (+) differ:\n%s\n%q", round, d, e.done)
	}
	return "files"
}
