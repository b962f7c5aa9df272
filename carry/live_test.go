//go:build unix

package carry

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var liveFlag = flag.Int("live", 8, "forks of a parent that is being written to")

// TestForkOfALivingParentIsOneMomentOrNothing forks while somebody edits, creates, deletes, renames, stages and commits.
// Each fork must be a state that the parent was in since it was asked for, or be refused and leave nothing.
func TestForkOfALivingParentIsOneMomentOrNothing(t *testing.T) {
	t.Parallel()
	forks := *liveFlag
	if testing.Short() {
		forks = min(forks, 4)
	}
	t.Logf("-seed %d -live %d", *seedFlag, forks)
	l := newLive(newRepo(t), rand.New(rand.NewPCG(*seedFlag, 1)))
	stop := make(chan struct{})
	var writer sync.WaitGroup
	end := sync.OnceFunc(func() { close(stop); writer.Wait() })
	defer end()
	ends := map[string]int{}
	for i := range forks {
		if i == forks/3 { // the first ones are written to in their seams alone
			writer.Go(func() { l.write(stop) })
		}
		ends[l.fork(t, i)]++
	}
	t.Log(ends)
	end()
	if last := l.fork(t, forks+*liveFlag); last != "forked" {
		t.Errorf("with nobody writing: %s", last)
	}
	for end := range ends {
		if !slices.Contains([]string{"forked", "parentChanging", "parentMoved"}, end) {
			t.Errorf("a fork ended with %s", end)
		}
	}
}

// live is a parent and whoever writes to it. Each of its steps is atomic for a reader.
type live struct {
	*repo
	mu     sync.Mutex
	rand   *rand.Rand
	now    map[string]string   // what its files hold, and what its index lists
	past   []map[string]string // all it was
	steps  []func()            // of the turn that has begun
	turn   int
	broken error
}

func newLive(r *repo, random *rand.Rand) *live {
	l := &live{repo: r, rand: random}
	for _, name := range []string{"a", "b", "c"} {
		r.write(name, "00000000")
	}
	r.commit("live")
	l.now = stateOf(r, r.top)
	l.past = append(l.past, l.now)
	return l
}

const listing = "the index"

// stateOf reads a worktree that nobody writes to.
func stateOf(t testing.TB, top string) map[string]string {
	t.Helper()
	state := map[string]string{listing: gitIn(t, top, "ls-files", "-s")}
	must(t, filepath.WalkDir(top, func(full string, d os.DirEntry, err error) error {
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || d.Name() == ".git" {
			return err
		}
		content, err := os.ReadFile(full)
		name, _ := filepath.Rel(top, full)
		state[name] = string(content)
		return err
	}))
	return state
}

// step does the next one. A turn changes several files in a fixed order, with a lock file around them in every second
// one: without it, all files are of the same turn.
func (l *live) step() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.steps) == 0 {
		l.begin()
	}
	next := maps.Clone(l.now)
	l.now = next
	l.steps[0]()
	l.steps = l.steps[1:]
	l.past = append(l.past, next)
}

func (l *live) begin() {
	l.turn++
	value := fmt.Sprintf("%08d", l.turn)
	put := func(name, value string) func() { // a new file in the place of the old one
		return func() {
			temp := filepath.Join(filepath.Dir(l.top), "live.tmp")
			l.failed(os.WriteFile(temp, []byte(value), 0o644))
			l.failed(os.Rename(temp, l.path(name)))
			l.now[name] = value
		}
	}
	edit := func(name, value string) func() { // as many bytes, in place, and the old time
		return func() {
			f, err := os.OpenFile(l.path(name), os.O_WRONLY, 0)
			if err != nil {
				l.failed(err)
				return
			}
			info, _ := f.Stat()
			_, err = f.WriteAt([]byte(value), 0)
			l.failed(err)
			l.failed(f.Close())
			l.failed(os.Chtimes(l.path(name), info.ModTime(), info.ModTime()))
			l.now[name] = value
		}
	}
	remove := func(name string) func() {
		return func() { l.failed(os.Remove(l.path(name))); delete(l.now, name) }
	}
	rename := func(from, to string) func() {
		return func() {
			l.failed(os.Rename(l.path(from), l.path(to)))
			l.now[to] = l.now[from]
			delete(l.now, from)
		}
	}
	index := func(args ...string) func() {
		return func() {
			_, err := tryGit(l.top, args...)
			l.failed(err)
			l.now[listing], err = tryGit(l.top, "ls-files", "-s")
			l.failed(err)
		}
	}
	turn := []func(){put("u", value), edit("a", value), put("new", value), edit("b", value)}
	switch kind := l.rand.IntN(12); {
	case kind < 4: // edited, and restored
		turn = append(turn, edit("c", value), edit("run.sh", "#!/bin/sh\necho HI\n"), edit("c", "00000000"), edit("run.sh", "#!/bin/sh\necho hi\n"))
	case kind < 6:
		turn = append(turn, put("src/v", value), put("src/w", value), remove("src/v"), remove("src/w"))
	case kind < 8:
		turn = append(turn, rename("u", "docs/u"), edit("c", value), rename("docs/u", "u"), edit("c", "00000000"))
	case kind < 10:
		turn = append(turn, index("add", "new"), edit("c", value), index("reset", "-q", "new"), edit("c", "00000000"))
	case kind < 11:
		turn = append(turn, remove("docs/c.md"), edit("c", value), put("docs/c.md", "doc\n"), edit("c", "00000000"))
	default:
		turn = append(turn, index("commit", "-q", "--allow-empty", "-m", value))
	}
	if l.turn%2 == 0 {
		turn = append(append([]func(){put("lock", value)}, turn...), remove("lock"))
	}
	l.steps = turn
}

func (l *live) failed(err error) {
	if err != nil && l.broken == nil {
		l.broken = err
	}
}

// write goes on until it is stopped, with pauses of all lengths: some forks fit into one.
func (l *live) write(stop <-chan struct{}) {
	for {
		l.step()
		l.mu.Lock()
		pause := time.Duration(0)
		if l.rand.IntN(8) == 0 {
			pause = time.Duration(l.rand.IntN(400)) * time.Millisecond
		}
		l.mu.Unlock()
		select {
		case <-stop:
			return
		case <-time.After(pause):
		}
	}
}

// fork says how a fork has ended, and judges it.
func (l *live) fork(t *testing.T, i int) string {
	t.Helper()
	ctx := context.Background()
	l.mu.Lock()
	since := len(l.past) - 1
	l.mu.Unlock()
	at := opened(t, l.top)
	child := filepath.Join(l.world(), "child")
	o := begun(t, at)
	end := func() string {
		plan, err := Look(ctx, at, at.Head, Options{})
		if err != nil {
			return explain(err)
		}
		defer plan.Close()
		if no := plan.Refused(); no != nil {
			return no.Code
		}
		made, err := o.Create(ctx, CreateRequest{Path: child, Branch: "child", Base: at.Head, Like: plan})
		must(t, err)
		seams := 0
		seam := func() {
			if seams++; i < *liveFlag/2 && seams < 4 {
				for range seams * (1 + i) {
					l.step()
				}
			}
		}
		plan.between, plan.compared = func(string) { seam() }, seam
		if _, err := plan.Into(ctx, made, o, nil); err != nil {
			if code := refusal(err); code == "parentChanging" || code == "parentMoved" {
				return code
			}
			return explain(err)
		}
		return "forked"
	}()
	if end == "forked" {
		is := stateOf(t, child)
		l.mu.Lock()
		if !slices.ContainsFunc(l.past[since:], func(was map[string]string) bool { return maps.Equal(was, is) }) {
			nearest := slices.MinFunc(l.past[since:], func(a, b map[string]string) int { return unlike(a, is) - unlike(b, is) })
			t.Errorf("fork %d is none of %d states of its parent; of the nearest, differ:\n%s", i, len(l.past)-since, difference(lines(nearest), lines(is)))
		}
		l.mu.Unlock()
	}
	must(t, o.RollBack(ctx))
	must(t, o.Close())
	if _, err := os.Lstat(child); err == nil || l.git("branch", "--list", "child") != "" {
		t.Errorf("fork %d (%s) has left something: %v", i, end, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	must(t, l.broken)
	return end
}

func lines(state map[string]string) string {
	var all []string
	for name, value := range state {
		for line := range strings.SplitSeq(value, "\n") {
			all = append(all, name+": "+line)
		}
	}
	return strings.Join(all, "\n")
}

func unlike(a, b map[string]string) int {
	return strings.Count(difference(lines(a), lines(b)), "\n")
}
