package carry

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/sidefork/sidefork/carry/pulse"
)

// inParallel does n things in chunks of neighbours, a few chunks at a time. The first error ends it.
func inParallel(ctx context.Context, n int, do func(ctx context.Context, from, to int) error) error {
	const chunk = 256
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(min(8, runtime.GOMAXPROCS(0)+1))
	for from := 0; from < n; from += chunk {
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error { return do(pulse.Context(gctx), from, min(from+chunk, n)) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
