//go:build unix

package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/snapshot"
)

// refusedByCarry are the cases whose changes come with a fork and not into a workspace that exists, each with the reasons
// that are right for it.
var refusedByCarry = map[string]string{
	"247-setting-that-hides-every-entry": "unsupportedState", // git hides them in the target, which has no such bits in the source
}

// notForCarry are kinds of which a carry between workspaces knows nothing: how a fork's child is named, where it lies, what
// runs when it is made, and what happens while the driver of the case makes one.
var notForCarry = []string{"branch", "target", "concurrency", "parallel", "paths", "sessions", "fork", "size", "hooks"}

// notByCarry are single cases of that sort: of submodules that the target has not checked out, and of a file that says what
// a new workspace needs.
var notByCarry = []string{"078-submodule-dirty", "202-submodule-pointer-staged-and-moved-on", "143-worktreeinclude-hostile"}

// TestCasesByCarry brings the changes of every case into a workspace that was there before, at the same commit: it must
// become its source, or the carry is refused and nothing has changed.
func TestCasesByCarry(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT RUN: the case bank takes minutes (-short)")
	}
	b := newBench(t, "")
	t.Cleanup(b.table)
	for _, name := range bank(t) {
		who := users(t, name)
		as := who[len(who)-1]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b.carry(t, name, as)
		})
	}
}

func (b *bench) carry(t *testing.T, name string, as user) {
	t.Helper()
	r := b.newRun(t, name, as)
	t.Cleanup(func() { r.clean(t) })
	if r.vars["WANT"] == "refuse" || slices.Contains(notByCarry, name) || slices.Contains(notForCarry, r.vars["KIND"]) || b.missing(r.vars, as) != "" || r.vars["NEEDS"] == "mount" {
		return // not about a carry between workspaces, and in no row of the table
	}
	entry := row{name: name + " by carry", as: as.name, want: r.vars["WANT"], result: "-", verdict: "BROKEN"}
	defer func() { b.add(entry) }()
	if _, _, err := r.phase("prepare", r.parent, r.real, r.child); err != nil {
		t.Fatalf("the case is broken: %v", err)
	}
	target := filepath.Join(r.work, "side", "target")
	made := r.exec(time.Minute, r.work, r.env(), "git", "-C", r.real, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "worktree", "add", "-q", "-b", "bank-target", target, "HEAD")
	if made.status != 0 {
		entry.verdict, entry.detail = "NOT RUN", "git cannot make the target: "+oneLine(made.stderr, 200)
		return
	}
	before, there := take(t, r.real), take(t, target)
	extra, _, err := r.phase("env_for", r.real)
	if err != nil {
		t.Fatal(err)
	}
	out := r.exec(time.Minute, r.work, slices.Concat(r.env(), strings.Fields(extra)), b.tool, "carry", filepath.Join(r.real, r.vars["CWD"]), target, "--json")
	entry.verdict = "PASS"
	var faults []string
	if out.status == 0 {
		entry.result = "ok"
		for _, line := range snapshot.Diff(before, take(t, r.real), snapshot.Worktrees()) {
			if !strings.HasPrefix(line, `"common/worktrees/target/index"`) { // it is the target's
				faults = append(faults, "source: "+line)
			}
		}
		faults = append(faults, r.carried(t, out.stdout, target)...)
	} else {
		entry.result = map[int]string{3: "refused", 1: "rolledBack", 124: "hang"}[out.status]
		faults = r.notCarried(out)
		for _, side := range []struct {
			dir string
			was snapshot.Snapshot
		}{{r.real, before}, {target, there}} {
			for _, line := range snapshot.Diff(side.was, take(t, side.dir)) {
				faults = append(faults, "not as it was: "+line)
			}
		}
	}
	if len(faults) > 0 {
		entry.verdict, entry.detail = "FAIL", strings.Join(faults, " | ")
		t.Error(strings.Join(faults, "\n"))
	}
}

func take(t *testing.T, dir string) snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// carried judges a carry that is called done.
func (r *run) carried(t *testing.T, text []byte, target string) (faults []string) {
	t.Helper()
	var answer struct {
		Status   string `json:"status"`
		Verified bool   `json:"verified"`
		Left     []left `json:"left"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Status != "carried" || !answer.Verified {
		faults = append(faults, fmt.Sprintf("answered %s (%v)", oneLine(text, 200), err))
	}
	var leave []string
	var names strings.Builder
	for _, l := range answer.Left {
		fmt.Fprintf(&names, "%s\t%s\n", l.Path, l.Reason)
		if r.vars["WANT"] != "exact" || slices.Contains([]string{"worktree", "specialFile", "submodule"}, l.Reason) {
			leave = append(leave, l.Path)
		}
	}
	for name, content := range map[string]string{"answer": string(text), "left": names.String()} {
		if err := os.WriteFile(filepath.Join(r.work, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	checked, _, err := r.phase("check", r.real, target)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(checked) {
		faults = append(faults, strings.TrimSpace(line))
	}
	opts := compare.Options{Index: true, FolderModes: true, Leave: leave, Home: filepath.Join(r.work, "home")}
	for _, difference := range compare.Trees(r.real, target, opts) {
		faults = append(faults, difference.String())
	}
	return faults
}

// notCarried judges one that was not.
func (r *run) notCarried(out output) (faults []string) {
	var answer struct {
		Reason struct{ Code string }
		Effect string
	}
	if err := json.Unmarshal(out.stderr, &answer); err != nil || answer.Reason.Code == "internal" ||
		out.status != map[string]int{"nothing": 3, "rolledBack": 1}[answer.Effect] {
		faults = append(faults, fmt.Sprintf("exit status %d: %s", out.status, oneLine(out.stderr, 300)))
	}
	if right := strings.Fields(refusedByCarry[r.name]); r.vars["WANT"] != "either" && !slices.Contains(right, answer.Reason.Code) {
		faults = append(faults, fmt.Sprintf("refused: %s", oneLine(out.stderr, 300)))
	}
	return faults
}
