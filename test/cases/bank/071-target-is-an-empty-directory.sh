#!/usr/bin/env bash
# CASE  : 071-target-is-an-empty-directory
# KIND  : target   WANT: either   TARGET
# SOURCE: git-worktree(1) ; https://github.com/reliant-labs/reliant/pull/287 (mkdir before git leaves an empty directory)
# STATE : the target exists and is empty
# EXPECT: used (exact), or refused and still there and empty.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=target WANT=either CODE=folderTaken
setup() { base "$1"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
target() { mkdir -p "$2"; }
claim() { :; }
run "$@"
