//go:build unix

package carry

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsPendingIsToldAndLeftAsItIs(t *testing.T) {
	r := newRepo(t)
	look := func(want ...Pending) {
		t.Helper()
		list, err := LookForPending(opened(r, r.top).CommonDir)
		must(t, err)
		if diff := cmp.Diff(want, list); diff != "" {
			t.Errorf("pending (-want +got):\n%s", diff)
		}
	}
	look()
	o, err := Begin(context.Background(), opened(r, r.top), operation)
	must(t, err)
	child := created(t, o, r.world()+"/x/child", "feat/child")
	look(Pending{operation, "running", child.Path})
	die(o)
	look(Pending{operation, "interrupted", child.Path})
	look(Pending{operation, "interrupted", child.Path}) // it was not taken back
	common := opened(r, r.top).CommonDir
	whole, err := os.ReadFile(journalFile(common, operation))
	must(t, err)
	must(t, os.WriteFile(journalFile(common, operation), []byte("{\n{\n"), 0o644))
	look(Pending{operation, "unreadable", ""})
	must(t, os.WriteFile(journalFile(common, operation), whole, 0o644))
	_, err = Recover(context.Background(), common)
	must(t, err)
	look()
}
