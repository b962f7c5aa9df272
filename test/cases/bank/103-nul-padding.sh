#!/usr/bin/env bash
# CASE  : 103-nul-padding
# KIND  : sessions   WANT: list
# SOURCE: https://github.com/anthropics/claude-code/issues/49876
# STATE : a block of 500 NUL bytes in the middle (crashed append on ext4), sound lines after it
# EXPECT: skipped like any bad line.
. "${BASH_SOURCE[0]%/*}/../sessions.sh"
KIND=sessions WANT=list
setup() { mk "$1"; local f; f="$(pdir "$W")/$(sid 1).jsonl"; { msg user "$W" "$(sid 1)" "nul" 2026-05-01T10:00:00Z; head -c 500 /dev/zero; printf '\n'; msg user "$W" "$(sid 1)" "after" 2026-05-02T10:00:00Z; } >"$f"; touch -d 2026-05-02T10:00:00Z "$f"; }
claim() { P=$1; [ "$(tr -dc '\0' <"$(pdir "$1/work/app")/$(sid 1).jsonl" | wc -c)" = 500 ]; }
expected() { printf '%s\tyes\tnul\n' "$(sid 1)"; }
run "$@"
