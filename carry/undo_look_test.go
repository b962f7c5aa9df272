//go:build unix

package carry

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// A tracked link whose place a FIFO took stays a link in the child, with whatever entry was staged for it.
func TestAForkIsTakenBackWhoseLinkHasOnlyAStagedEntry(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.link("a.txt", "l")
	r.commit("link")
	r.remove("l")
	r.link("run.sh", "l")
	r.git("add", "l")
	r.remove("l")
	makeFIFO(r, r.path("l"))
	at := opened(t, r.top)
	o := begun(t, at)
	plan, err := Look(context.Background(), at, at.Head, Options{})
	must(t, err)
	defer plan.Close()
	child := filepath.Join(filepath.Dir(r.top), "child")
	made, err := o.Create(context.Background(), CreateRequest{Path: child, Branch: "child", Base: at.Head, Like: plan})
	must(t, err)
	_, err = plan.Into(context.Background(), made, o, nil)
	must(t, err)
	must(t, o.RollBack(context.Background()))
	must(t, o.Close())
	if _, err := os.Lstat(child); err == nil {
		t.Error("the child stands")
	}
}
