//go:build unix

package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/snapshot"
)

// answer is what the tool has said, by the contract. Only what is judged is decoded.
type answer struct {
	Status    string `json:"status"`
	Workspace *struct {
		Path   string `json:"path"`
		Branch string `json:"branch"`
	} `json:"workspace"`
	Carried *struct {
		Status   string `json:"status"`
		Verified bool   `json:"verified"`
		Left     []left `json:"left"`
	} `json:"carried"`
	Warnings []struct {
		Code string `json:"code"`
	} `json:"warnings"`

	// of an error
	Reason *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Remedy  string `json:"remedy"`
	} `json:"reason"`
	Effect string `json:"effect"`
}

type left struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// verdict is what became of a case.
type verdict struct {
	result string   // ok, refused, rolledBack, hang, error
	faults []string // none: it passes
}

func (v *verdict) fault(format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf(format, args...))
}

// fork runs the tool on a prepared case and judges what it did.
func (r *run) fork() error {
	before, err := snapshot.Take(r.real)
	if err != nil {
		return err
	}
	side, err := snapshot.Folder(filepath.Join(r.work, "side"))
	if err != nil {
		return err
	}
	names := listing(filepath.Join(r.work, "side"))
	out, err := r.callTool()
	if err != nil {
		return err
	}
	after, err := snapshot.Take(r.real)
	if err != nil {
		return err
	}
	checked, _, err := r.phase("check", r.real, r.child)
	if err != nil {
		return err
	}
	for line := range strings.Lines(checked) {
		r.verdict.fault("%s", strings.TrimSpace(line))
	}
	if left := listing(filepath.Join(r.work, "tmp")); len(left) > 0 {
		r.verdict.fault("left in the temporary folder: %v", left)
	}
	if out.status == 0 {
		r.judgeChild(before, after)
		return nil
	}
	r.judgeRefusal(out)
	if r.vars["KIND"] != "concurrency" {
		for _, line := range snapshot.Diff(before, after) {
			r.verdict.fault("not as it was: %s", line)
		}
	}
	if now := listing(filepath.Join(r.work, "side")); !slices.Equal(names, now) {
		r.verdict.fault("left behind: %v", now)
	} else if sideNow, err := snapshot.Folder(filepath.Join(r.work, "side")); err != nil {
		return err
	} else if lines := snapshot.Diff(side, sideNow); out.status == 3 && len(lines) > 0 {
		r.verdict.fault("refused, but something was written: %v", lines)
	}
	return nil
}

// callTool runs the tool under test and keeps its answer for the case's check.
func (r *run) callTool() (output, error) {
	extra, _, err := r.phase("env_for", r.real)
	if err != nil {
		return output{}, err
	}
	env := slices.Concat(r.env(), strings.Fields(extra))
	dir := filepath.Join(r.real, r.vars["CWD"])
	argv := []string{
		r.bench.tool, "fork", dir, "--name=" + r.vars["BRANCH"], "--dir", r.child,
		"--no-session", "--setup", "skip", "--launch", "none", "--json",
	}
	if r.bench.recipe {
		argv = []string{r.bench.tool, dir, r.child, r.vars["BRANCH"]}
	}
	out := r.exec(time.Minute, r.work, env, argv...)
	if r.bench.recipe {
		return out, nil
	}
	text := out.stdout
	if out.status != 0 {
		text = bytes.TrimSpace(out.stderr)
	}
	if err := json.Unmarshal(text, &r.answer); err != nil {
		r.verdict.fault("exit status %d and no JSON by the contract: %v: %s", out.status, err, oneLine(text, 200))
	}
	var names strings.Builder
	if r.answer.Carried != nil {
		for _, l := range r.answer.Carried.Left {
			fmt.Fprintf(&names, "%s\t%s\n", l.Path, l.Reason)
		}
	}
	if err := os.WriteFile(filepath.Join(r.work, "answer"), text, 0o644); err != nil {
		return out, err
	}
	return out, os.WriteFile(filepath.Join(r.work, "left"), []byte(names.String()), 0o644)
}

// judgeChild judges a fork that the tool calls done.
func (r *run) judgeChild(before, after snapshot.Snapshot) {
	r.verdict.result = "ok"
	if r.vars["WANT"] == "refuse" {
		r.verdict.fault("not refused")
		return
	}
	if !r.bench.recipe {
		r.judgeAnswer()
	}
	if r.vars["KIND"] == "concurrency" { // its check has judged: the parent was changed by somebody else
		return
	}
	opts := compare.Options{Index: true, FolderModes: true, Submodules: true, Leave: r.leave(), Home: filepath.Join(r.work, "home")}
	for _, difference := range compare.Trees(r.real, r.child, opts) {
		r.verdict.fault("%v", difference)
	}
	for _, line := range snapshot.Diff(before, after, snapshot.Branch(r.vars["BRANCH"]), snapshot.Worktrees()) {
		r.verdict.fault("parent: %s", line)
	}
}

// leave gives the paths that the answer names as left and that may be left in this case.
func (r *run) leave() (paths []string) {
	if r.answer.Carried == nil {
		return nil
	}
	for _, l := range r.answer.Carried.Left {
		if r.vars["WANT"] != "exact" || slices.Contains([]string{"worktree", "specialFile"}, l.Reason) {
			paths = append(paths, l.Path)
		}
	}
	return paths
}

func (r *run) judgeAnswer() {
	a := r.answer
	real, _ := filepath.EvalSymlinks(r.child)
	switch {
	case a.Status != "completed":
		r.verdict.fault("status %q", a.Status)
	case a.Workspace == nil || a.Workspace.Path != real || a.Workspace.Branch != r.vars["BRANCH"]:
		r.verdict.fault("the answer's workspace is %+v", a.Workspace)
	case a.Carried != nil && (!a.Carried.Verified || a.Carried.Status != "carried"):
		r.verdict.fault("carried, but not proved: %+v", *a.Carried)
	}
}

// judgeRefusal judges a fork that was not made: reason, exit status and effect belong together.
func (r *run) judgeRefusal(out output) {
	r.verdict.result = map[int]string{3: "refused", 1: "rolledBack", 124: "hang"}[out.status]
	if r.verdict.result == "" {
		r.verdict.result = "error"
	}
	if out.status == 124 {
		r.verdict.fault("did not come back in time")
		return
	}
	if want := r.vars["WANT"]; want != "refuse" && want != "either" {
		r.verdict.fault("%s: %s", r.verdict.result, oneLine(out.stderr, 200))
	}
	if r.bench.recipe {
		return
	}
	if !slices.Contains(strings.Fields(r.vars["EXIT"]), fmt.Sprint(out.status)) {
		r.verdict.fault("exit status %d, want %s", out.status, r.vars["EXIT"])
	}
	if effect := map[int]string{3: "nothing", 1: "rolledBack"}[out.status]; r.answer.Effect != effect {
		r.verdict.fault("exit status %d with effect %q", out.status, r.answer.Effect)
	}
	switch codes := strings.Fields(r.vars["CODE"]); {
	case r.answer.Reason == nil || r.answer.Reason.Code == "" || r.answer.Reason.Message == "":
		r.verdict.fault("no reason")
	case r.answer.Reason.Code == "internal":
		r.verdict.fault("an internal mistake: %s", oneLine(out.stderr, 200))
	case len(codes) > 0 && !slices.Contains(codes, r.answer.Reason.Code):
		r.verdict.fault("reason %s (%s), want %s", r.answer.Reason.Code, r.answer.Reason.Message, r.vars["CODE"])
	}
}

// listing gives everything below a folder by name, type and mode.
func listing(dir string) (names []string) {
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return nil
		}
		info, err := entry.Info()
		if err == nil {
			names = append(names, fmt.Sprintf("%s %v", strings.TrimPrefix(path, dir), info.Mode()))
		}
		return nil
	})
	return names
}
