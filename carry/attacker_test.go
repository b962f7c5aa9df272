//go:build unix

package carry

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var attacksFlag = flag.Int("attacks", 4, "forks that somebody swaps links into")

// TestASwappedLinkNeverLeadsOutside forks while somebody swaps folders of one side with links to a folder outside, which
// has files of the same names. Nothing of it may change, nothing of it may come into a child that is said to be carried.
func TestASwappedLinkNeverLeadsOutside(t *testing.T) {
	t.Parallel()
	const folders = 40
	attacks := *attacksFlag
	if testing.Short() {
		attacks = 1
	}
	for n := range attacks {
		r := newRepo(t)
		outside := filepath.Join(filepath.Dir(r.top), "outside")
		for i := range folders {
			for j := range 4 {
				r.write(fmt.Sprintf("d%d/tracked%d", i, j), "base\n")
			}
		}
		r.commit("folders")
		for i := range folders {
			for j := range 4 {
				r.write(fmt.Sprintf("d%d/tracked%d", i, j), "edited\n")
				name := filepath.Join(outside, fmt.Sprintf("d%d", i), fmt.Sprintf("tracked%d", j))
				must(t, os.MkdirAll(filepath.Dir(name), 0o755))
				must(t, os.WriteFile(name, []byte("secret\n"), 0o600))
			}
		}
		before := allBelow(t, outside)
		at := opened(t, r.top)
		plan, err := Look(context.Background(), at, at.Head, Options{})
		must(t, err)
		o := begun(t, at)
		child := filepath.Join(filepath.Dir(r.top), "child")
		made, err := o.Create(context.Background(), CreateRequest{Path: child, Branch: "child", Base: at.Head, Like: plan})
		must(t, err)

		side := []string{child, r.top}[n%2]
		var attacker sync.WaitGroup
		stop := make(chan struct{})
		attack := func() {
			random := rand.New(rand.NewPCG(uint64(n), 0))
			for {
				select {
				case <-stop:
					return
				default:
				}
				name := filepath.Join(side, fmt.Sprintf("d%d", random.IntN(folders)))
				if os.Rename(name, name+".away") != nil {
					continue
				}
				to, _ := filepath.Rel(side, name)
				_ = os.Symlink(filepath.Join(outside, to), name)
				for range 30 { // long enough for somebody to walk in
					_, _ = os.Lstat(name)
				}
				_ = os.Remove(name)
				_ = os.Rename(name+".away", name)
			}
		}
		var once sync.Once // when the first byte is written: a link that is there before is found and refused
		_, carried := plan.Into(context.Background(), made, o, func(int64, int64) { once.Do(func() { attacker.Go(attack) }) })
		plan.Close()
		back := o.RollBack
		if carried == nil {
			for name, is := range allBelow(t, child) {
				if strings.Contains(is, "secret") && side != child {
					t.Errorf("%s came from outside", name)
				}
			}
		}
		t.Logf("attack %d: %v", n, carried)
		_ = back(context.Background()) // it may be stuck: the child is not as it was left
		close(stop)
		attacker.Wait()
		must(t, o.Close())
		if after := allBelow(t, outside); !maps.Equal(before, after) {
			t.Errorf("attack %d (%v): what lies outside has changed:\n%s", n, carried, difference(fmt.Sprint(before), fmt.Sprint(after)))
		}
	}
}

// allBelow gives the content, mode and times of all that is in a folder.
func allBelow(t *testing.T, top string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it is being swapped
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		is := fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			content, _ := os.ReadFile(name)
			is += string(content)
		}
		all[strings.TrimPrefix(name, top)] = is
		return nil
	}))
	return all
}
