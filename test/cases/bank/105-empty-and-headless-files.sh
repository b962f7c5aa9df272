#!/usr/bin/env bash
# CASE  : 105-empty-and-headless-files
# KIND  : sessions   WANT: list
# SOURCE: https://github.com/can1357/oh-my-pi/pull/12538 ; https://github.com/phnx-labs/agi-cli/pull/3633 ; https://github.com/anthropics/claude-code/issues/29467
# STATE : a 0-byte file, one of blank lines, one with only a summary line, one with file-history-snapshot first and then a sound conversation
# EXPECT: only sessions with at least one user message are forkable; the other three are left out (or shown as not forkable). No crash.
. "${BASH_SOURCE[0]%/*}/../sessions.sh"
KIND=sessions WANT=list
setup() { mk "$1"; local d; d="$(pdir "$W")"; : >"$d/$(sid 1).jsonl"; printf '\n\n\n' >"$d/$(sid 2).jsonl"; printf '{"type":"summary","summary":"only a summary","leafUuid":"x"}\n' >"$d/$(sid 3).jsonl"; { printf '{"type":"file-history-snapshot","messageId":"m","snapshot":{}}\n'; msg user "$W" "$(sid 4)" "real" 2026-05-01T10:00:00Z; } >"$d/$(sid 4).jsonl"; }
claim() { P=$1; [ ! -s "$(pdir "$1/work/app")/$(sid 1).jsonl" ]; }
expected() { printf '%s\tyes\treal\n' "$(sid 4)"; }
run "$@"
