#!/usr/bin/env bash
# CASE  : 110-thousands-of-sessions
# KIND  : size   WANT: list
# SOURCE: https://github.com/anthropics/claude-code/issues/35800 ; https://github.com/siteboon/claudecodeui/issues/126
# STATE : 3,000 sessions in one project directory
# EXPECT: the newest page within a second or two, bounded memory, stable order; the full files are not read to list them.
. "${BASH_SOURCE[0]%/*}/../sessions.sh"
KIND=size WANT=list
setup() { mk "$1"; local d i n; d="$(pdir "$W")"; for i in {1..3000}; do printf -v n '%08d-0000-4000-8000-%012d' $i $i; printf '{"type":"user","isSidechain":false,"cwd":"%s","sessionId":"%08d-0000-4000-8000-%012d","timestamp":"2026-04-01T%02d:%02d:%02dZ","message":{"role":"user","content":"s %d"}}\n' "$W" $i $i $((i/3600)) $((i/60%60)) $((i%60)) $i >"$d/$n.jsonl"; done; }
claim() { P=$1; [ "$(ls "$(pdir "$1/work/app")" | wc -l)" = 3000 ]; }
expected() { local i; for ((i=3000;i>0;i--)); do printf '%08d-0000-4000-8000-%012d\tyes\ts %d\n' $i $i $i; done; }
run "$@"
