//go:build unix

package carry

import (
	"os"
	"strings"
	"testing"
)

// oddMerges are states in which git does not look at a file, or something stands between its bytes and its object.
var oddMerges = map[string]mergeCase{
	"an edit hidden here": {
		source: func(r *repo) {
			r.git("update-index", "--skip-worktree", "long")
			r.write("long", numbered(3, "mine"))
		},
		target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		want:   map[string]string{"long": numbered(3, "mine", 25, "theirs")}, staged: map[string]string{"long": numbered(25, "theirs")}, status: " M long",
	},
	"an edit hidden here, in the same line": {
		source: func(r *repo) {
			r.git("update-index", "--assume-unchanged", "long")
			r.write("long", numbered(3, "mine"))
		},
		target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		code:   "mergeConflict", names: "long: changed on both sides",
	},
	"sparse here, and what is not there has changed in the target": {
		source: func(r *repo) { r.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/"); r.write("new", "n") },
		target: func(r *repo) { r.write("src/b.txt", "theirs\n") },
		want:   map[string]string{"src/b.txt": "theirs\n", "new": "n"}, status: "?? new",
	},
	"sparse there, and a change that git would not show": {
		source: func(r *repo) { r.write("src/b.txt", "mine\n") },
		target: func(r *repo) { r.write("long", numbered(25, "theirs")); r.git("add", "-A"); sparse(r) },
		code:   "unsupportedState", names: "src/b.txt is skip-worktree or assume-unchanged in the target",
	},
	"sparse there, and a change of what is there": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")); r.write("src/fresh", "f") },
		target: func(r *repo) { r.write("long", numbered(25, "theirs")); r.git("add", "-A"); sparse(r) },
		want:   map[string]string{"long": numbered(3, "mine", 25, "theirs"), "src/fresh": "f", "src/b.txt": "-"}, status: " M long\n?? src/fresh",
	},
	"staged under a filter, on both sides": {
		before: func(r *repo) { r.write(".gitattributes", "*.big filter=gone\n"); r.write("v.big", numbered()) },
		source: func(r *repo) { r.write("v.big", numbered(3, "mine")); r.git("add", "v.big") },
		target: func(r *repo) { r.write("v.big", numbered(25, "theirs")) },
		code:   "mergeFiltered", names: "v.big: changed on both sides, and under the rule filter",
	},
	"a filter that comes with the changes": {
		source: func(r *repo) { r.write(".gitattributes", "long filter=gone\n"); r.write("long", numbered(3, "mine")) },
		target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		code:   "mergeFiltered", names: "long: changed on both sides, and under the rule filter",
	},
	"a filter that the target has committed": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")) },
		target: func(r *repo) {
			r.write(".gitattributes", "long filter=gone\n")
			r.write("long", numbered(25, "theirs"))
		},
		code: "mergeFiltered", names: "long: changed on both sides, and under the rule filter",
	},
	"a filter that is required, and only one side has changed": {
		before: func(r *repo) {
			r.write(".gitattributes", "*.big filter=gone\n")
			r.write("v.big", "pointer\n")
		},
		source: func(r *repo) { r.write("v.big", "whole\n") },
		target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		want:   map[string]string{"v.big": "whole\n", "long": numbered(25, "theirs")}, status: " M v.big",
	},
	"too big on disk": {
		source: func(r *repo) {
			r.write("long", numbered(3, "mine"))
			must(r, os.Truncate(r.path("long"), mostMerged+1))
		},
		target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		code:   "mergeConflict", names: "long: " + tooBig,
	},
	"too big, and changed on one side alone": {
		source: func(r *repo) { must(r, os.Truncate(r.path("bin"), mostMerged+1)) },
		target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		want:   map[string]string{"bin": "\x00base" + strings.Repeat("\x00", mostMerged+1-len("\x00base"))}, status: " M bin",
	},
	"too big in the commit that both come from": {
		before: func(r *repo) {
			r.write("huge", "")
			must(r, os.Truncate(r.path("huge"), mostMerged+1))
			r.git("add", "huge")
		},
		source: func(r *repo) { r.write("huge", "mine\n"); r.git("add", "huge") },
		target: func(r *repo) { r.write("huge", "theirs\n") },
		code:   "mergeConflict", names: "huge: " + tooBig,
	},
}

func sparse(r *repo) { r.git("sparse-checkout", "set", "--no-cone", "/*", "!/src/") }

func TestOddChangesMeetThoseOfAnotherCommit(t *testing.T) {
	t.Parallel()
	for name, c := range oddMerges {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) { t.Parallel(); c.run(t) })
	}
}
