package editor

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
)

var errAnswered = errors.New("editor: the request was answered")

// Feed remembers what came and lets many wait for what comes.
type Feed[T any] struct {
	mu      sync.Mutex
	items   []T
	err     error         // why nothing more comes
	changed chan struct{} // closed at the next change
}

func newFeed[T any]() *Feed[T] { return &Feed[T]{changed: make(chan struct{})} }

func (f *Feed[T]) add(item T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.items = append(f.items, item)
		close(f.changed)
		f.changed = make(chan struct{})
	}
}

func (f *Feed[T]) close(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		close(f.changed)
	}
}

// All is what has come so far.
func (f *Feed[T]) All() []T {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.items)
}

// Await gives the first item that matches, of those that came and those that come. The error tells what came instead.
func (f *Feed[T]) Await(ctx context.Context, match func(T) bool) (T, error) {
	for i := 0; ; i++ {
		item, err := f.at(ctx, i)
		if err != nil {
			return item, fmt.Errorf("%w; seen: %+v", err, f.All())
		}
		if match(item) {
			return item, nil
		}
	}
}

// Each gives the items from the first one on, until nothing more comes or ctx is done.
func (f *Feed[T]) Each(ctx context.Context) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := 0; ; i++ {
			item, err := f.at(ctx, i)
			if err != nil || !yield(item) {
				return
			}
		}
	}
}

// at waits for the item with a number.
func (f *Feed[T]) at(ctx context.Context, i int) (item T, err error) {
	for {
		f.mu.Lock()
		have, closed, changed := i < len(f.items), f.err, f.changed
		if have {
			item = f.items[i]
		}
		f.mu.Unlock()
		switch {
		case have:
			return item, nil
		case closed != nil:
			return item, closed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return item, ctx.Err()
		}
	}
}

// IsStage matches a stage by its name on the wire.
func IsStage(name string) func(string) bool { return func(s string) bool { return s == name } }

// IsMethod matches a notification by its method.
func IsMethod(method string) func(Notification) bool {
	return func(n Notification) bool { return n.Method == method }
}

// IsKind matches a progress value by its kind.
func IsKind(kind string) func(Progress) bool { return func(p Progress) bool { return p.Kind == kind } }
