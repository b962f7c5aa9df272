//go:build unix

package carry

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// odd is a folder's name that is no UTF-8, as old disks and archives have them.
const odd = "caf\xe9"

// oddRepo is a repository in such a folder.
func oddRepo(t *testing.T) *repo {
	t.Helper()
	r := newRepo(t)
	folder := filepath.Join(r.world(), odd)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Skipf("this file system has no such names: %v", err)
	}
	must(t, os.Rename(r.top, folder+"/parent"))
	r.top = folder + "/parent"
	return r
}

func TestForkAndCarryInAFolderWhoseNameIsNoUTF8(t *testing.T) {
	t.Parallel()
	r := oddRepo(t)
	r.write("a.txt", "the parent's edit\n")
	r.write("new\xff.txt", "new\n")
	before := everything(t, r.world())
	source := opened(t, r.top)
	carried := func() (*Operation, string) {
		plan, err := Look(context.Background(), source, source.Head, Options{})
		must(t, err)
		defer plan.Close()
		o := begun(t, source)
		child := created(t, o, r.world()+"/x/child", "feat/child")
		_, err = plan.Into(context.Background(), child, o, nil)
		must(t, err)
		return o, child.Path
	}
	o, _ := carried()
	must(t, o.RollBack(context.Background()))
	must(t, o.Close())
	unchanged(t, r, before)
	o, child := carried()
	must(t, o.Keep())
	if d := compareTrees(t, r.top, child, nil); d != "" {
		t.Error(d)
	}
}

func TestRecoverInAFolderWhoseNameIsNoUTF8(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"made", "carried"} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			r := oddRepo(t)
			before := everything(t, r.world())
			killed(t, r, stage)
			if got := recovered(t, r); len(got) != 1 || got[0].Action != "rolledBack" || got[0].Workspace != r.world()+"/x/child" {
				t.Errorf("%+v", got)
			}
			unchanged(t, r, before)
		})
	}
}

// TestRecoverOfACarryIntoAFolderWhoseNameIsNoUTF8 has every path of a journal in it: target, git folder, aside.
func TestRecoverOfACarryIntoAFolderWhoseNameIsNoUTF8(t *testing.T) {
	t.Parallel()
	r := oddRepo(t)
	target := r.world() + "/" + odd
	r.git("worktree", "add", "-q", "-b", "target", target+"/t\xff", "HEAD")
	target += "/t\xff"
	r.write("a.txt", "carried\n")
	gitIn(t, target, "status")
	before := withoutFolders(snapshot(t, target))
	source, at := opened(t, r.top), opened(t, target)
	plan, err := Look(context.Background(), source, source.Head, Options{})
	must(t, err)
	defer plan.Close()
	must(t, plan.Against(context.Background(), at))
	o := begun(t, source)
	_, err = plan.Into(context.Background(), at, o, nil)
	must(t, err)
	must(t, o.Close()) // neither kept nor rolled back: as if it had been killed
	if got := recovered(t, r); len(got) != 1 || got[0].Action != "rolledBack" || got[0].Workspace != target {
		t.Errorf("%+v", got)
	}
	if after := withoutFolders(snapshot(t, target)); after != before {
		t.Errorf("not restored:\n%s", difference(before, after))
	}
	noAside(t, at.GitDir)
}

func TestAJournalKeepsEveryByteAndReadsTheFormerForm(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"/plain/ü \U0001F600", "/" + odd, "/\xff\xfe\"\\", ""} {
		s := said{What: saidStep, Source: exact(name), Entry: exact(name), Step: &Step{
			Workspace: &WorkspaceStep{Path: []byte(name), Entries: []exact{exact(name)}},
			Carry: &CarryStep{
				Target: name, TargetGitDir: name, Aside: name, Base: "b", Fresh: true,
				Paths: []WrittenPath{{Path: []byte(name), Kind: "file"}}, Entries: []StagedEntry{{Path: []byte(name), Mode: 0o100644}},
			},
		}}
		line, err := json.Marshal(s)
		must(t, err)
		var back said
		must(t, json.Unmarshal(line, &back))
		if !reflect.DeepEqual(back, s) {
			t.Errorf("%q became %s and\n%+v", name, line, back.Step.Carry)
		}
	}
	const former = `{"at":"2026-01-02T03:04:05Z","what":"step","source":"/s","entry":"child","step":{"workspace":{"path":"L3g=","branch":"b","base":"1",` +
		`"existed":false,"folders":null,"gitFolders":["logs"],"entries":["e"]},"carry":{"target":"/t","targetGitDir":"/g","base":"1","fresh":false,` +
		`"paths":[{"path":"YQ==","kind":"file","temp":".sf-1"}],"aside":"/g/sidefork-aside-1"}}}`
	var s said
	must(t, json.Unmarshal([]byte(former), &s))
	c := s.Step.Carry
	if s.Source != "/s" || s.Entry != "child" || s.Step.Workspace.Entries[0] != "e" || string(s.Step.Workspace.Path) != "/x" || c.Target != "/t" ||
		c.TargetGitDir != "/g" || c.Aside != "/g/sidefork-aside-1" || c.Entries != nil || c.Paths[0].Temp != ".sf-1" || c.Base != "1" {
		t.Errorf("%+v", s)
	}
}
