#!/usr/bin/env bash
# CASE  : 057-index-lock-present
# KIND  : state   WANT: either
# SOURCE: https://github.com/thefrederiksen/devthrottle/issues/2872 ; https://github.com/Digital-Process-Tools/claude-supertool/issues/2034 ; https://github.com/sirmalloc/ccstatusline/pull/381
# STATE : .git/index.lock exists (the agent is in the middle of git add, or it is stale)
# EXPECT: refused with "another git process seems to be running" before anything is created, or exact through a path that needs no lock. The lock is never
#         removed, and the wait is bounded.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=either
setup() { base "$1"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; : >.git/index.lock; }
claim() { [ -f .git/index.lock ] && ! git add a.txt 2>/dev/null; }
run "$@"
