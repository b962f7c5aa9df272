package sessions

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkNewestFiftyOfTwentyThousand lists the newest 50 sessions of one workspace of 100, in stores of 10,000 sessions
// of each agent with lines as long as the real ones.
func BenchmarkNewestFiftyOfTwentyThousand(b *testing.B) {
	p := newPlace(b)
	instructions := strings.Repeat("x", 21<<10)
	for i := range 10_000 {
		cwd := p.in(fmt.Sprintf("repo-%d", i%100))
		at := fmt.Sprintf("2026-04-%02dT%02d:%02d:%02dZ", 1+i%28, i/3600, i/60%60, i%60)
		p.claude(cwd, i, "", talk(cwd, i, "prompt", at)+`{"type":"attachment","text":"`+instructions+`","timestamp":"`+at+`"}`+"\n")
		p.codex(i, at, fmt.Sprintf(`{"timestamp":%q,"type":"session_meta","payload":{"id":%q,"cwd":%q,"source":"cli","base_instructions":%q,"git":{"branch":"main"}}}`+"\n"+
			`{"timestamp":%q,"type":"response_item","payload":{"role":"user","content":[{"type":"input_text","text":"prompt"}]}}`+"\n", at, sid(i), cwd, instructions, at))
	}
	query := Query{Worktrees: []string{p.in("repo-7")}, Limit: 50}
	for b.Loop() {
		page, err := List(b.Context(), p.config(), query)
		if err != nil || len(page.Sessions) != 50 {
			b.Fatalf("got %d sessions, %v", len(page.Sessions), err)
		}
	}
}
