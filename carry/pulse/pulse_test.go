package pulse

import (
	"context"
	"testing"
	"time"
)

func TestAContextThatIsAskedBeatsAndOneMadeOfItIsHeardToo(t *testing.T) {
	t.Parallel()
	ctx, p := With(context.Background())
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	for name, beat := range map[string]func(){
		"asked":       func() { _ = Context(inner).Err() },
		"said":        func() { Beat(inner) },
		"begun":       func() { Begin(inner, "git status") },
		"a hold ends": func() { Hold(inner)() },
	} {
		p.last.Store(int64(-time.Hour))
		if p.Quiet() < time.Hour {
			t.Fatal("heard before anything was said")
		}
		if beat(); p.Quiet() >= time.Hour {
			t.Errorf("%s: not heard", name)
		}
	}
	if p.Doing() != "git status" {
		t.Errorf("doing %q", p.Doing())
	}
	release := Hold(inner)
	p.last.Store(int64(-time.Hour))
	if p.Quiet() >= time.Hour {
		t.Error("it was given up while something was held")
	}
	release()
	if cancel(); Context(inner).Err() == nil {
		t.Error("a cancel is not seen")
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	Beat(ctx)
	Begin(ctx, "x")
	Hold(ctx)()
	if Listened(ctx) || Context(ctx) != ctx {
		t.Error("somebody does")
	}
}
