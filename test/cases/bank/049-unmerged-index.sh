#!/usr/bin/env bash
# CASE  : 049-unmerged-index
# KIND  : state   WANT: refuse
# SOURCE: https://github.com/gsd-build/gsd-2/issues/6319 ; https://github.com/msiemens/PyGitUp/issues/35 ; https://github.com/can1357/oh-my-pi/pull/4176
# STATE : a merge stopped with a conflict in a.txt
# EXPECT: refused: "unresolved merge conflicts", before a worktree exists; MERGE_HEAD and the conflict stay as they are.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=refuse CODE='unmerged operationInProgress'
setup() { base "$1"; git checkout -q -b o; printf 'theirs\n' >a.txt; git_c commit -q -am o; git checkout -q main; printf 'ours\n' >a.txt; git_c commit -q -am m; git_c merge -q o >/dev/null 2>&1; :; }
claim() { git ls-files -u | grep -q a.txt && [ -f .git/MERGE_HEAD ]; }
run "$@"
