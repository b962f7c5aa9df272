//go:build linux

package remote

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/cmd/sidefork/remote"
	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/test/compare"
	"github.com/sidefork/sidefork/test/snapshot"
)

// scene is a parent there with work of several kinds in it, as it was before anything ran.
type scene struct {
	*box
	parent, trees, child, branch string
	operation                    string
	before                       snapshot.Snapshot
}

const makeParent = `
git init -q -b main . && printf 'one\n' >a.txt && printf 'two\n' >b.txt && mkdir many && for i in 1 2 3 4 5 6 7 8; do echo $i >many/$i; done
git add . && git commit -qm first
printf 'more\n' >>a.txt && git rm -q --cached b.txt && printf 'new\n' >n.txt && git add n.txt && printf 'newer\n' >>n.txt && printf 'u\n' >untracked`

// parents are copies of one repository.
var parents sync.Mutex

func newScene(t *testing.T, b *box) *scene {
	t.Helper()
	parents.Lock()
	defer parents.Unlock()
	made := filepath.Join(b.home, "template")
	if _, err := os.Stat(made); err != nil {
		b.as(t, b.home, "mkdir", made)
		b.as(t, made, "sh", "-euc", makeParent)
	}
	root := strings.TrimSpace(b.as(t, b.home, "mktemp", "-d", filepath.Join(b.home, "sXXXXXXXX")))
	s := &scene{box: b, parent: filepath.Join(root, "app"), trees: filepath.Join(root, "trees"), branch: "feature/try", operation: uuid.NewString()}
	s.child = filepath.Join(s.trees, "child")
	b.as(t, root, "cp", "-a", made, s.parent)
	b.as(t, s.parent, "sh", "-c", "git update-index -q --refresh; true")
	s.before = take(t, s.parent)
	t.Cleanup(func() { os.RemoveAll(root) })
	return s
}

func take(t *testing.T, dir string) snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *scene) argument(more map[string]any) []byte {
	all := map[string]any{"operationId": s.operation, "workspace": s.parent, "name": s.branch, "dir": s.child, "launch": "none"}
	for name, value := range more {
		all[name] = value
	}
	raw, _ := json.Marshal(all)
	return raw
}

// gone: nothing of the fork is there, and nothing else has changed.
func (s *scene) gone(t *testing.T) {
	t.Helper()
	if _, err := os.Lstat(s.trees); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the child's folder, or one that was made for it, is still there: %v", err)
	}
	for _, line := range snapshot.Diff(s.before, take(t, s.parent)) {
		t.Errorf("not as before: %s", line)
	}
}

// whole: the child is its parent, and the parent as it was.
func (s *scene) whole(t *testing.T) {
	t.Helper()
	for _, d := range compare.Trees(s.parent, s.child, compare.Options{Index: true, FolderModes: true}) {
		t.Errorf("the child is not its parent: %s", d)
	}
	for _, line := range snapshot.Diff(s.before, take(t, s.parent), snapshot.Branch(s.branch), snapshot.Worktrees()) {
		t.Errorf("not as before: %s", line)
	}
}

// said holds a client to its words about a fork, and says them in one word.
func (s *scene) said(t *testing.T, result any, failed *commands.Failure) string {
	t.Helper()
	raw, _ := json.Marshal(result)
	var r struct{ Status string }
	_ = json.Unmarshal(raw, &r)
	switch {
	case failed == nil && r.Status == "completed":
		s.whole(t)
		return "done"
	case failed == nil && r.Status == "cancelled":
		s.gone(t)
		return "cancelled"
	case failed == nil:
		t.Errorf("answered %s", raw)
	case failed.Effect == commands.Nothing:
		s.gone(t)
		return "nothing written: " + failed.Reason.Code
	case failed.Effect == commands.RolledBack:
		s.gone(t)
		return "rolled back: " + failed.Reason.Code
	case failed.Effect == commands.Uncertain:
		return "unknown: " + failed.Reason.Code
	}
	t.Errorf("said %+v", failed)
	return "?"
}

// client is sidefork's side of the line.
func client(t *testing.T, ssh string, more func(*remote.Options)) *remote.Host {
	t.Helper()
	opt := remote.Options{
		Name: "box", SSH: ssh, Version: "0.0.0-test", Poll: 20 * time.Millisecond,
		Waits: []time.Duration{0, 50 * time.Millisecond, 200 * time.Millisecond, time.Second},
	}
	if more != nil {
		more(&opt)
	}
	h, failed := remote.New(opt)
	if failed != nil {
		t.Fatal(failed)
	}
	t.Cleanup(h.Close)
	return h
}

func (s *scene) fork(ctx context.Context, h *remote.Host, more map[string]any) (any, *commands.Failure) {
	return h.Run(ctx, &commands.Env{}, "sidefork.fork", s.argument(more), quiet{})
}

// quiet is a progress that nobody looks at.
type quiet struct{}

func (quiet) Stage(string, commands.Stage, int) {}
func (quiet) Report(int, string)                {}

func TestAForkThereIsWhole(t *testing.T) {
	b := theBox(t)
	s := newScene(t, b)
	h := client(t, b.ssh(t, b.port, ""), nil)
	if failed := h.Connect(t.Context()); failed != nil {
		t.Fatalf("%+v", failed)
	}
	var stages []commands.Stage
	result, failed := h.Run(t.Context(), &commands.Env{}, "sidefork.fork", s.argument(nil), hears{&stages})
	if got := s.said(t, result, failed); got != "done" {
		t.Errorf("%s: %+v", got, failed)
	}
	if len(stages) != 5 {
		t.Errorf("heard of the stages %v", stages)
	}
	if b.uid != 0 {
		info, err := os.Stat(filepath.Join(s.child, "untracked"))
		if err != nil || ownerOf(info) != b.uid {
			t.Errorf("the child belongs to %v, not to the user there", err)
		}
	}
}

// hears keeps the stages.
type hears struct{ stages *[]commands.Stage }

func (h hears) Stage(_ string, s commands.Stage, _ int) { *h.stages = append(*h.stages, s) }
func (hears) Report(int, string)                        {}

// decode reads a result as it travelled.
func decode(t *testing.T, result, into any) {
	t.Helper()
	raw, err := json.Marshal(result)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
