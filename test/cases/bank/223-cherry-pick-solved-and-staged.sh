#!/usr/bin/env bash
# CASE  : 223-cherry-pick-solved-and-staged
# KIND  : state   WANT: refuse   CODE=operationInProgress
# SOURCE: git-cherry-pick(1) --continue ; combines 049 and 002
# STATE : a cherry-pick stopped, everything was solved and added: no unmerged entry is left, only CHERRY_PICK_HEAD says that it is going on
# EXPECT: refused as an operation in progress; it can be continued afterwards.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=refuse CODE=operationInProgress
setup() { base "$1"; git checkout -q -b o; printf 'theirs\n' >a.txt; git_c commit -q -am o; git checkout -q main; printf 'ours\n' >a.txt; git_c commit -q -am m; git_c cherry-pick o >/dev/null 2>&1; printf 'solved\n' >a.txt; git add a.txt; printf 'later\n' >>a.txt; }
claim() { [ "$(state)" = 'MM a.txt;' ] && [ -f .git/CHERRY_PICK_HEAD ]; }
run "$@"
