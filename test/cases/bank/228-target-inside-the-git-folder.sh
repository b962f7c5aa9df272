#!/usr/bin/env bash
# CASE  : 228-target-inside-the-git-folder
# KIND  : target   WANT: refuse   CHILD_IN='.git/trees/child' CODE='badFolder'
# SOURCE: git-worktree(1) ; https://github.com/kbrdn1/gwm-cli/issues/487 ; combines 074 and 070
# STATE : the target lies inside the parent's own git folder
# EXPECT: refused, nothing is made there.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=target WANT=refuse CHILD_IN='.git/trees/child' CODE='badFolder'
setup() { base "$1"; printf 'x\n' >>a.txt; }
claim() { [ "$(state)" = ' M a.txt;' ]; }
run "$@"
