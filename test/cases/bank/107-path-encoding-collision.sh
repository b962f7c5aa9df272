#!/usr/bin/env bash
# CASE  : 107-path-encoding-collision
# KIND  : sessions   WANT: list
# SOURCE: https://github.com/anthropics/claude-code/issues/69245 ; https://github.com/anthropics/claude-code/issues/35162 ; https://github.com/anthropics/claude-code/issues/40946 ; https://github.com/vshulcz/deja-vu/issues/28
# STATE : work/a-b, work/a/b, work/a_b, work/a.b and work/aéb (same length) all use one project directory, a session each
# EXPECT: asked about work/a-b, only its own session is listed: the cwd recorded in the lines decides, not the directory name.
. "${BASH_SOURCE[0]%/*}/../sessions.sh"
KIND=sessions WANT=list
setup() { mk "$1"; local i=0 n; for n in a-b a/b a_b a.b; do i=$((i+1)); git init -q -b main "$P/work/$n"; sess $i "$P/work/$n" "in $n" 2026-05-0${i}T10:00:00Z; done; }
query() { printf %s "$1/work/a-b"; }
claim() { P=$1; [ "$(ls "$(pdir "$1/work/a-b")" | wc -l)" = 4 ]; }
expected() { printf '%s\tyes\tin a-b\n' "$(sid 1)"; }
run "$@"
