#!/usr/bin/env bash
# CASE  : 111-mtime-lies-and-clock-skew
# KIND  : sessions   WANT: list
# SOURCE: https://github.com/anthropics/claude-code/issues/52071 ; https://github.com/anthropics/claude-code/issues/64844 ; https://github.com/anthropics/claude-code/issues/79572 ; https://github.com/getpaseo/paseo/issues/3297
# STATE : the oldest session has the newest mtime (a sync tool touched it); one has a mtime in 2038; one has a last line whose clock went backwards
# EXPECT: order by the latest timestamp inside; listing must not change any mtime.
. "${BASH_SOURCE[0]%/*}/../sessions.sh"
KIND=sessions WANT=list
setup() { mk "$1"; local d; d="$(pdir "$W")"; sess 1 "$W" "old but touched" 2026-03-01T10:00:00Z; sess 2 "$W" "newest" 2026-05-05T10:00:00Z; sess 3 "$W" "clock went back" 2026-05-03T10:00:00Z; msg user "$W" "$(sid 3)" "earlier?" 2026-01-01T00:00:00Z >>"$d/$(sid 3).jsonl"; touch -d 2026-06-01T00:00:00Z "$d/$(sid 1).jsonl"; touch -d 2026-02-01T00:00:00Z "$d/$(sid 2).jsonl"; touch -d 2037-12-31T00:00:00Z "$d/$(sid 3).jsonl"; }
claim() { P=$1; [ "$(ls -t "$(pdir "$1/work/app")" | sed -n 2p)" = "$(sid 1).jsonl" ]; }
expected() { printf '%s\tyes\tnewest\n%s\tyes\tclock went back\n%s\tyes\told but touched\n' "$(sid 2)" "$(sid 3)" "$(sid 1)"; }
run "$@"
