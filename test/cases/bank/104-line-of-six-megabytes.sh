#!/usr/bin/env bash
# CASE  : 104-line-of-six-megabytes
# KIND  : sessions   WANT: list
# SOURCE: https://github.com/mieubrisse/agenc/issues/12 (bufio.Scanner: token too long) ; https://github.com/anthropics/claude-code/issues/40405 ; https://github.com/ygncode/pi-web/pull/51 ; https://github.com/kenn-io/agentsview/pull/20
# STATE : the FIRST user message holds a pasted screenshot: one line of 6 MB; its text comes after the image
# EXPECT: listed, with bounded memory and time. bufio.Scanner with its default 64 KB (or a 1 or 4 MB buffer) ends the file at that line.
. "${BASH_SOURCE[0]%/*}/../sessions.sh"
KIND=sessions WANT=list
setup() { mk "$1"; local f; f="$(pdir "$W")/$(sid 1).jsonl"; { printf '{"type":"user","isSidechain":false,"cwd":"%s","sessionId":"%s","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"' "$W" "$(sid 1)"; head -c 6000000 /dev/zero | tr '\0' A; printf '"}},{"type":"text","text":"look at this"}]}}\n'; msg assistant "$W" "$(sid 1)" "ok" 2026-05-02T10:00:00Z; } >"$f"; touch -d 2026-05-02T10:00:00Z "$f"; }
claim() { P=$1; [ "$(head -1 "$(pdir "$1/work/app")/$(sid 1).jsonl" | wc -c)" -gt 6000000 ]; }
expected() { printf '%s\tyes\tlook at this\n' "$(sid 1)"; }
run "$@"
