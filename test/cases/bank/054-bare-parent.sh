#!/usr/bin/env bash
# CASE  : 054-bare-parent
# KIND  : state   WANT: refuse
# SOURCE: Orca, "Fork Agent Session…" (disabled for bare worktrees) ; https://github.com/jikig-ai/soleur/pull/7407
# STATE : the given parent is a bare repository
# EXPECT: refused, nothing created.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=refuse CODE=bare
setup() { base "$1.src"; git clone -q --bare "$1.src" "$1"; cd "$1"; }
claim() { [ "$(git rev-parse --is-bare-repository)" = true ]; }
run "$@"
