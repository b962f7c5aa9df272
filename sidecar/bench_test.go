package sidecar

import (
	"context"
	"testing"

	"github.com/sidefork/sidefork/test/editor"
)

// BenchmarkRoundTrip is a trivial command on pipes of this process, the fake editor's own work included: for profiles.
// `make bench` measures the built program, from its start on, against an empty one.
func BenchmarkRoundTrip(b *testing.B) {
	opt := testOptions()
	opt.Getenv = func(string) string { return "" }
	e := editor.InProcess(serveWith(opt))
	defer e.Close()
	if _, err := e.Initialize(context.Background(), editor.Options{}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Execute("test.ping", args{}, nil).Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
