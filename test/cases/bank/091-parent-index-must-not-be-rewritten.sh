#!/usr/bin/env bash
# CASE  : 091-parent-index-must-not-be-rewritten
# KIND  : parent   WANT: exact
# SOURCE: https://github.com/AgentSystemLabs/nebula/pull/43 ; https://github.com/rtalexk/demux/pull/15 ; git(1) --no-optional-locks
# STATE : the parent's index is stat-dirty (files touched, same bytes) next to a real edit
# EXPECT: exact, and .git/index of the parent has the same bytes and mtime as before, also for the status probe of the dialog: a refresh takes
#         index.lock under the running agent's feet.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=parent WANT=exact
setup() { base "$1"; touch -d '2001-01-01' src/b.txt docs/c.md; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { git --no-optional-locks diff-files --name-only | grep -q src/b.txt; }
run "$@"
