#!/usr/bin/env bash
# CASE  : 259-merge-without-a-conflict-that-is-not-committed
# KIND  : state   WANT: refuse
# SOURCE: git-merge(1) --no-commit
# STATE : git merge --no-commit has ended without a conflict: all is staged, MERGE_HEAD is there; an edit lies beside it
# EXPECT: refused: the child would have the changes and not the merge
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=refuse CODE=operationInProgress
setup() { base "$1"; git checkout -q -b other; printf 'o\n' >o.txt; git add o.txt; git_c commit -qm o; git checkout -q main; printf 'm\n' >m.txt; git add m.txt; git_c commit -qm m; git_c merge -q --no-commit --no-ff other >/dev/null 2>&1; printf 'e\n' >>a.txt; }
claim() { [ -e .git/MERGE_HEAD ] && [ "$(state)" = ' M a.txt;A  o.txt;' ]; }
run "$@"
