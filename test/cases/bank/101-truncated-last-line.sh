#!/usr/bin/env bash
# CASE  : 101-truncated-last-line
# KIND  : sessions   WANT: list
# SOURCE: https://github.com/anthropics/claude-code/issues/53821 ; https://github.com/delexw/claude-code-trace/issues/66 ; https://github.com/Ruya-AI/cozempic/issues/147
# STATE : the last line of a session stops in the middle of a string, without a newline (kill -9, power loss, or it is being written right now)
# EXPECT: the session is listed with its title and the time of its last sound line; no error for the whole list. It stays forkable.
. "${BASH_SOURCE[0]%/*}/../sessions.sh"
KIND=sessions WANT=list
setup() { mk "$1"; sess 1 "$W" "first" 2026-05-01T10:00:00Z; sess 2 "$W" "torn" 2026-05-02T10:00:00Z; printf '{"type":"assistant","message":{"role":"assistant","content":"half a wo' >>"$(pdir "$W")/$(sid 2).jsonl"; touch -d 2026-05-02T10:00:01Z "$(pdir "$W")/$(sid 2).jsonl"; }
claim() { P=$1; [ -n "$(tail -c1 "$(pdir "$1/work/app")/$(sid 2).jsonl" | tr -d '\n')" ]; }
expected() { printf '%s\tyes\ttorn\n%s\tyes\tfirst\n' "$(sid 2)" "$(sid 1)"; }
run "$@"
