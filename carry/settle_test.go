//go:build unix

package carry

import (
	"testing"

	"github.com/google/uuid"
)

// TestWhatIsSettledNeverBegins: its request may still be on its way.
func TestWhatIsSettledNeverBegins(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	source := opened(t, r.top)
	id := uuid.NewString()
	if settled, err := Settle(source, id); !settled || err != nil {
		t.Fatalf("%v, %v", settled, err)
	}
	if _, err := Begin(t.Context(), source, id); err == nil {
		t.Error("it has begun")
	}
	if settled, err := Settle(source, id); settled || err != nil {
		t.Errorf("again: %v, %v", settled, err)
	}
	if got := Outcome(source.CommonDir, id); got != "rolledBack" {
		t.Errorf("the outcome is %s", got)
	}
	o, err := Begin(t.Context(), source, uuid.NewString())
	must(t, err)
	if settled, err := Settle(source, o.ID); settled || err != nil {
		t.Errorf("what runs: %v, %v", settled, err)
	}
	must(t, o.RollBack(t.Context()))
	o.Close()
	if _, err := Settle(source, "../x"); err == nil {
		t.Error("a path was taken for an id")
	}
	if got, err := Recover(t.Context(), source.CommonDir); len(got) != 0 || err != nil {
		t.Errorf("there was something to recover: %+v %v", got, err)
	}
}
