//go:build unix

package carry

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnEarlierBranchsReflogOutlivesARollBack: git deletes the reflog with the branch, and in it what only that one knew.
func TestAnEarlierBranchsReflogOutlivesARollBack(t *testing.T) {
	t.Parallel()
	zeros, gone := strings.Repeat("0", 40), strings.Repeat("1", 40)
	for name, reflog := range map[string]string{
		"lines of commits that are gone": zeros + " " + gone + " T <t@example.invalid> 1700000000 +0000\tcommit (initial): mine\n",
		"bytes of another encoding":      zeros + " " + gone + " J\xfcrgen <t@example.invalid> 1700000000 +0000\tcommit: caf\xe9\n",
		"no reflog format at all":        "?\n\n",
		"an empty file":                  "",
	} {
		for _, branch := range []string{"wish", "feat/deep/wish"} {
			t.Run(name+"/"+branch, func(t *testing.T) {
				t.Parallel()
				r := newRepo(t)
				r.write(".git/logs/refs/heads/"+branch, reflog)
				stale := r.path(".git/logs/refs/heads/" + branch)
				before := withoutTimes(everything(t, r.world()))
				o := begun(t, opened(t, r.top))
				child := created(t, o, r.world()+"/child", branch)
				if text, err := os.ReadFile(stale); err != nil || !strings.HasPrefix(string(text), reflog) || len(text) == len(reflog) {
					t.Errorf("while the child is there: %q %v", text, err)
				}
				o.carry(t, child, "new.txt", "new")
				must(t, o.RollBack(context.Background()))
				if after := withoutTimes(everything(t, r.world())); after != before {
					t.Errorf("not as before:\n%s", difference(before, after))
				}
				must(t, o.Close())
				nothingKept(t, o)
			})
		}
	}
}

// TestAnEarlierBranchsReflogOutlivesAKill at both sides of the deletion.
func TestAnEarlierBranchsReflogOutlivesAKill(t *testing.T) {
	t.Parallel()
	const reflog = "0000000000000000000000000000000000000000 1111111111111111111111111111111111111111 T <t@example.invalid> 1700000000 +0000\tmine\n"
	for name, goOn := range map[string]func(r *repo, u undo, ws *WorkspaceStep){
		"nothing done yet": func(*repo, undo, *WorkspaceStep) {},
		"saved":            func(r *repo, u undo, ws *WorkspaceStep) { must(r, u.saveReflog(ws)) },
		"saved and deleted": func(r *repo, u undo, ws *WorkspaceStep) {
			must(r, u.saveReflog(ws))
			r.git("worktree", "remove", "--force", string(ws.Path))
			r.git("update-ref", "-d", "refs/heads/feat/child")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.write(".git/logs/refs/heads/feat/child", reflog)
			killed(t, r, "made")
			trail, err := readTrail(r.top+"/.git", operation)
			must(t, err)
			goOn(r, undo{common: r.top + "/.git", journal: &journal{trail: *trail}}, trail.workspace())
			if got := recovered(t, r); len(got) != 1 || got[0].Action != "rolledBack" {
				t.Errorf("%+v", got)
			}
			if text, err := os.ReadFile(r.path(".git/logs/refs/heads/feat/child")); string(text) != reflog {
				t.Errorf("%q %v", text, err)
			}
			if _, err := tryGit(r.top, "rev-parse", "--verify", "-q", "refs/heads/feat/child"); err == nil {
				t.Error("the branch is still there")
			}
		})
	}
}

// TestAReflogThatWasBegunForNoBranchGoes: git was ended between the first line of the reflog, or before that, and the branch.
func TestAReflogThatWasBegunForNoBranchGoes(t *testing.T) {
	t.Parallel()
	const line = "0000000000000000000000000000000000000000 1111111111111111111111111111111111111111 T <t@example.invalid> 1700000000 +0000\t"
	for name, c := range map[string]struct {
		reflog string
		goes   bool
	}{
		"empty":           {"", true},
		"our line":        {line + branchMessage(operation) + "\n", true},
		"somebody else's": {line + "mine\n", false},
		"both":            {line + "mine\n" + line + branchMessage(operation) + "\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			before := everything(t, r.top)
			killed(t, r, "branch")
			r.git("update-ref", "-d", "refs/heads/feat/child")
			r.write(".git/logs/refs/heads/feat/child", c.reflog)
			if got := recovered(t, r); len(got) != 1 || got[0].Action != "rolledBack" {
				t.Errorf("%+v", got)
			}
			text, err := os.ReadFile(r.path(".git/logs/refs/heads/feat/child"))
			if c.goes && err == nil || !c.goes && string(text) != c.reflog {
				t.Errorf("%q %v", text, err)
			}
			if diff := difference(before, everything(t, r.top)); c.goes && diff != "" {
				t.Errorf("not as before: %s", diff)
			}
		})
	}
}

// nothingKept: of an operation that has ended only its journal is left.
func nothingKept(t testing.TB, o *Operation) {
	t.Helper()
	left, err := os.ReadDir(operationsFolder(o.source.CommonDir))
	must(t, err)
	if len(left) != 1 || left[0].Name() != o.ID+".json" {
		t.Errorf("left: %v", left)
	}
}

// withoutTimes leaves out when files were written.
func withoutTimes(everything string) string {
	var lines []string
	for line := range strings.SplitSeq(everything, "\n") {
		if name, rest, ok := strings.Cut(line, "\" -"); ok {
			f := strings.SplitN(rest, " ", 3)
			line = name + "\" -" + f[0] + " " + f[len(f)-1]
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestNoEncodingHidesTheOwnBranch: git would write its answers about reflogs in these.
func TestNoEncodingHidesTheOwnBranch(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"UTF-16", "UTF-32BE", "EBCDIC-US", "no-such-encoding"} {
		t.Run(encoding, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.git("config", "i18n.logOutputEncoding", encoding)
			r.git("config", "i18n.commitEncoding", encoding)
			before := everything(t, r.world())
			o := begun(t, opened(t, r.top))
			created(t, o, r.world()+"/child", "feat/child")
			must(t, o.RollBack(context.Background()))
			unchanged(t, r, before)
			must(t, o.Close())
			killed(t, r, "carried")
			if got := recovered(t, r); len(got) != 1 || got[0].Action != "rolledBack" {
				t.Errorf("%+v", got)
			}
			unchanged(t, r, before)
		})
	}
}

// TestCreateNeverPutsABranchOverABrokenRef: to git none of these is a branch, and update-ref writes over them.
func TestCreateNeverPutsABranchOverABrokenRef(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(r *repo){
		"a symbolic ref to nowhere":     func(r *repo) { r.git("symbolic-ref", "refs/heads/wish", "refs/heads/nowhere") },
		"a symbolic ref to a branch":    func(r *repo) { r.git("symbolic-ref", "refs/heads/wish", "refs/heads/main") },
		"a link to nowhere":             func(r *repo) { r.link("nowhere", ".git/refs/heads/wish") },
		"an empty file":                 func(r *repo) { r.write(".git/refs/heads/wish", "") },
		"a file that is no ref":         func(r *repo) { r.write(".git/refs/heads/wish", "mine\n") },
		"a branch whose commit is gone": func(r *repo) { r.write(".git/refs/heads/wish", strings.Repeat("1", 40)+"\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			make(r)
			before := everything(t, r.world())
			o := begun(t, opened(t, r.top))
			_, err := o.Create(context.Background(), CreateRequest{Path: r.world() + "/child", Branch: "wish", Base: o.source.Head})
			if refusal(err) != "nameTaken" {
				t.Errorf("%v", err)
			}
			must(t, o.RollBack(context.Background()))
			unchanged(t, r, before)
			if _, err := os.Lstat(filepath.Join(r.top, ".git/refs/heads/wish")); err != nil {
				t.Error(err)
			}
		})
	}
}
