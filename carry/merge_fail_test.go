//go:build unix

package carry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// met is a source and a target whose merge has everything in it that a merge writes: files, a merged object, a removal, a
// new folder, index entries.
func met(t *testing.T) (source, target *repo) {
	t.Helper()
	r := newRepo(t)
	r.write("long", numbered())
	r.write("gone/x", "x")
	r.commit("long")
	target = r.ahead(func(target *repo) { target.write("long", numbered(25, "theirs")); target.write("only/there", "t") })
	r.write("long", numbered(3, "mine"))
	r.git("add", "long")
	r.write("long", numbered(3, "mine", 9, "more"))
	r.git("rm", "-q", "gone/x")
	r.write("new/folder/u", "u")
	r.write("a.txt", "edited\n")
	return r, target
}

// TestAMergeThatIsDisturbedIsTakenBack disturbs a carry at each point at which something else may happen, and wants the
// reason, and the target bit for bit as the disturber left it.
func TestAMergeThatIsDisturbedIsTakenBack(t *testing.T) {
	t.Parallel()
	type moment int
	const (
		looked   moment = iota // between the look and the writing
		recorded               // the step is recorded, nothing is written
		written                // all is written, nothing proved
		compared               // the proof has compared, and not yet looked at both sides for the last time
	)
	for name, c := range map[string]struct {
		at     moment
		do     func(source, target *repo) error
		code   string
		after  func(source, target *repo) // puts away what the disturber has left
		own    string                     // the file of the target that the disturber wrote
		stands string                     // the undo must keep this path
	}{
		"the source is edited": {at: written, do: func(s, _ *repo) error { s.write("a.txt", "others\n"); return nil }, code: "parentChanging"},
		"a merged file of the source is edited, the times and size as before": {at: written, do: func(s, _ *repo) error {
			info, err := os.Stat(s.path("long"))
			must(s, err)
			s.write("long", strings.Replace(numbered(3, "mine", 9, "more"), "more", "MORE", 1))
			return os.Chtimes(s.path("long"), info.ModTime(), info.ModTime())
		}, code: "parentChanging"},
		"the source is edited before":     {at: looked, do: func(s, _ *repo) error { s.write("long", numbered(5, "other")); return nil }, code: "parentChanging"},
		"the source is edited at the end": {at: compared, do: func(s, _ *repo) error { s.write("run.sh", "other"); return nil }, code: "parentChanging"},
		"a file comes in the source":      {at: written, do: func(s, _ *repo) error { s.write("later", ""); return nil }, code: "parentChanging"},
		"a file goes in the source":       {at: recorded, do: func(s, _ *repo) error { s.remove("new/folder/u"); return nil }, code: "parentChanging"},
		"a removed file is back":          {at: written, do: func(s, _ *repo) error { s.write("gone/x", "x"); return nil }, code: "parentChanging"},
		"somebody stages in the source":   {at: written, do: func(s, _ *repo) error { s.git("add", "a.txt"); return nil }, code: "parentChanging"},
		"somebody commits in the source":  {at: written, do: func(s, _ *repo) error { s.git("commit", "-q", "-m", "x"); return nil }, code: "parentChanging"},
		"an empty commit in the source": {at: compared, do: func(s, _ *repo) error {
			s.git("update-ref", "HEAD", strings.TrimSpace(s.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")))
			return nil
		}, code: "parentMoved"},
		"the target is edited before":                         {at: looked, do: func(_, g *repo) error { g.write("long", "own"); return nil }, code: "targetMoved", own: "long"},
		"another file there is edited before":                 {at: looked, do: func(_, g *repo) error { g.write("only/there", "own"); return nil }, code: "targetMoved", own: "only/there"},
		"another file there is edited":                        {at: written, do: func(_, g *repo) error { g.write("only/there", "own"); return nil }, code: "targetMoved", own: "only/there"},
		"a file that is replaced there is edited just before": {at: recorded, do: func(_, g *repo) error { g.write("long", "own"); return nil }, code: "targetMoved", own: "long"},
		"a commit there before":                               {at: looked, do: func(_, g *repo) error { g.git("commit", "-q", "--allow-empty", "-m", "x"); return nil }, code: "targetMoved"},
		"somebody stages there before":                        {at: looked, do: func(_, g *repo) error { g.write("n", ""); g.git("add", "n"); return nil }, code: "targetMoved"},
		"the journal cannot be written":                       {at: recorded, do: func(_, _ *repo) error { return errors.New("full") }, code: "carryFailed"},
		"the index there is locked": {
			at: recorded, do: func(_, g *repo) error {
				return os.WriteFile(filepath.Join(openAt(g, g.top).GitDir, "index.lock"), nil, 0o644)
			}, code: "carryFailed",
			after: func(_, g *repo) { must(g, os.Remove(filepath.Join(openAt(g, g.top).GitDir, "index.lock"))) },
		},
		"no object can be written": {
			at: looked, do: func(s, _ *repo) error {
				for i := range 256 {
					if path := s.path(fmt.Sprintf(".git/objects/%02x", i)); nothingAt(path) {
						must(s, os.WriteFile(path, nil, 0o644))
					} else if entries, _ := os.ReadDir(path); true {
						must(s, os.MkdirAll(s.path("../kept"), 0o755))
						for _, e := range entries { // they are read from a pack of their own place
							must(s, os.MkdirAll(s.path(fmt.Sprintf("../kept/%02x", i)), 0o755))
							must(s, os.Rename(filepath.Join(path, e.Name()), s.path(fmt.Sprintf("../kept/%02x/%s", i, e.Name()))))
						}
						must(s, os.Remove(path))
						must(s, os.WriteFile(path, nil, 0o644))
					}
				}
				kept, _ := filepath.Abs(s.path("../kept"))
				return os.WriteFile(s.path(".git/objects/info/alternates"), []byte(kept+"\n"), 0o644)
			}, code: "carryFailed",
		},
		"a carried file there is edited": {at: written, do: func(_, g *repo) error { g.write("a.txt", "own"); return nil }, code: "targetMoved", stands: "a.txt"},
		"a commit there":                 {at: written, do: func(_, g *repo) error { g.git("commit", "-q", "-m", "x"); return nil }, code: "targetMoved", stands: "."},
		"somebody stages there":          {at: written, do: func(_, g *repo) error { g.write("n", ""); g.git("add", "n"); return nil }, code: "proofFailed", stands: "n"},
	} {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, target := met(t)
			from, to := openAt(t, source.top), openAt(t, target.top)
			plan, err := Look(context.Background(), from, from.Head, Options{})
			must(t, err)
			defer plan.Close()
			must(t, plan.Against(context.Background(), to))
			if no := plan.Refused(); no != nil {
				t.Fatal(explain(no))
			}
			o, err := Begin(context.Background(), from, operation)
			must(t, err)
			defer o.Close()
			disturb := func(at moment) error {
				if at != c.at {
					return nil
				}
				return c.do(source, target)
			}
			must(t, disturb(looked))
			was := withoutOwn(target, c.own)
			plan.between = func(string) { must(t, disturb(written)) }
			plan.compared = func() { must(t, disturb(compared)) }
			_, err = plan.Into(context.Background(), to, disturbed{o, func() error { return disturb(recorded) }}, nil)
			if code := refusal(err); code != c.code {
				t.Errorf("it ended with %v, want %s", err, c.code)
			}
			err = o.RollBack(context.Background())
			if c.stands != "" {
				stuck, ok := errors.AsType[*Stuck](err)
				if !ok || len(stuck.Paths) != 1 || stuck.Paths[0] != filepath.Join(target.top, c.stands) {
					t.Errorf("somebody's work is there, and the roll-back says %v %+v", err, stuck)
				}
				return
			}
			must(t, err)
			if c.after != nil {
				c.after(source, target)
			}
			if now := withoutOwn(target, c.own); now != was {
				t.Errorf("not taken back:\n%s", difference(was, now))
			}
			if c.own != "" && contentAt(target.path(c.own)) != "own" {
				t.Errorf("what somebody wrote to %s is lost: %q", c.own, contentAt(target.path(c.own)))
			}
			noAside(t, to.GitDir)
		})
	}
}

// disturbed is a recorder that lets somebody else do something after a step is recorded.
type disturbed struct {
	*Operation
	then func() error
}

func (d disturbed) Will(step Step) error {
	if err := d.Operation.Will(step); err != nil {
		return err
	}
	return d.then()
}

// withoutOwn is everything of a target but what a disturber wrote there.
func withoutOwn(target *repo, own string) string {
	var lines []string
	for line := range strings.SplitSeq(everything(target, target.top), "\n") {
		if own == "" || !strings.HasPrefix(line, strconv.Quote(own)) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// TestAMergeReadsYoungSourcesAgain changes a source without a trace, as a second write within a tick of the clock does.
func TestAMergeReadsYoungSourcesAgain(t *testing.T) {
	t.Parallel()
	source, target := met(t)
	from, to := openAt(t, source.top), openAt(t, target.top)
	plan, err := Look(context.Background(), from, from.Head, Options{})
	must(t, err)
	defer plan.Close()
	must(t, plan.Against(context.Background(), to))
	source.write("long", strings.Replace(numbered(3, "mine", 9, "more"), "more", "MORE", 1))
	here, err := openTree(source.top)
	must(t, err)
	defer here.close()
	now, err := here.at("long")
	must(t, err)
	was := plan.merge.sources["long"]
	was.stat = now
	plan.merge.sources["long"] = was
	if _, err := plan.Into(context.Background(), to, new(steps), nil); refusal(err) != "parentChanging" {
		t.Errorf("it ended with %v", err)
	}
}
