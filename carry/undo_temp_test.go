//go:build unix

package carry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestOnlyTheOperationsOwnTemporariesAreRemoved: a journal names .sf-1 before it is written, and a user may have a file
// of that name. What is removed is what the operation was writing there, and nothing else.
func TestOnlyTheOperationsOwnTemporariesAreRemoved(t *testing.T) {
	t.Parallel()
	const whole = "the whole new file\n"
	put := func(text string) func(t *testing.T, at string) {
		return func(t *testing.T, at string) { must(t, os.WriteFile(at, []byte(text), 0o644)) }
	}
	link := func(text string) func(t *testing.T, at string) {
		return func(t *testing.T, at string) { must(t, os.Symlink(text, at)) }
	}
	for name, c := range map[string]struct {
		temp, kind string
		lie        func(t *testing.T, at string)
		ours       bool
	}{
		"nothing yet":         {".sf-1", "file", func(*testing.T, string) {}, true},
		"created":             {".sf-1", "file", put(""), true},
		"half of it":          {".sf-1", "file", put(whole[:9]), true},
		"all of it":           {".sf-1", "file", put(whole), true},
		"a user's file":       {".sf-1", "file", put("mine"), false},
		"a user's longer one": {".sf-1", "file", put(whole + whole), false},
		"a user's link":       {".sf-1", "file", link("mine"), false},
		"a user's folder": {".sf-1", "file", func(t *testing.T, at string) {
			put("mine")(t, at+"x")
			must(t, os.Mkdir(at, 0o755))
			put("mine")(t, at+"/mine")
		}, false},
		"the link":                       {".sf-1", "link", link("carried"), true},
		"another link":                   {".sf-1", "link", link("mine"), false},
		"a file where a link is written": {".sf-1", "link", put("carried"), false},
		"a tagged one, of an older text": {".sf-k3x9q2-1", "file", put("an older text of the source, longer than the new one"), true},
		"a folder of a tagged name":      {".sf-k3x9q2-1", "file", func(t *testing.T, at string) { must(t, os.Mkdir(at, 0o755)); put("mine")(t, at+"/mine") }, false},
		"a recorded name that is none":   {"../a.txt", "file", func(*testing.T, string) {}, true},
	} {
		if !sampled(t, name) {
			continue
		}
		for _, fresh := range []bool{true, false} {
			t.Run(name+map[bool]string{true: "/in a child", false: "/in a workspace"}[fresh], func(t *testing.T) {
				t.Parallel()
				r := newRepo(t)
				target := filepath.Join(r.world(), "target")
				if !fresh {
					r.git("worktree", "add", "-q", "-b", "target", target, "HEAD")
				}
				r.write("src/new.txt", whole)
				o := begun(t, opened(t, r.top))
				if fresh {
					created(t, o, target, "target")
				}
				at := opened(t, target)
				step := CarryStep{Target: at.Path, TargetGitDir: at.GitDir, Base: at.Head, Fresh: fresh, Paths: []WrittenPath{
					{Path: []byte("src/new.txt"), Kind: c.kind, Size: int64(len(whole)), Link: []byte("carried"), Temp: c.temp},
				}}
				if !fresh {
					step.Aside = asideFor(at)
				}
				must(t, o.Will(Step{Carry: &step}))
				must(t, (&writing{child: at, aside: step.Aside}).makeAside())
				file := filepath.Join(target, "src", c.temp)
				c.lie(t, file)
				before := everything(t, target)
				err := o.RollBack(context.Background())
				_, stuck := errors.AsType[*Stuck](err)
				switch {
				case c.ours && err != nil:
					t.Errorf("%v", err)
				case c.ours && !fresh && c.kind == "file" && c.temp != "../a.txt" && !nothingAt(file):
					t.Error("it is still there")
				case !c.ours && fresh != stuck:
					t.Errorf("%v", err)
				case !c.ours || c.temp == "../a.txt" && !fresh:
					if after := everything(t, target); after != before {
						t.Errorf("not as it was:\n%s", difference(before, after))
					}
				}
			})
		}
	}
}
