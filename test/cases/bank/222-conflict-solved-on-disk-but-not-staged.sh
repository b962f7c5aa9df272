#!/usr/bin/env bash
# CASE  : 222-conflict-solved-on-disk-but-not-staged
# KIND  : state   WANT: refuse   CODE='unmerged operationInProgress'
# SOURCE: https://github.com/gsd-build/gsd-2/issues/6319 ; combines 049 and 003
# STATE : a merge stopped; the conflict in a.txt was solved in the editor and not added; another file is staged, one is new
# EXPECT: refused; the solved text, MERGE_HEAD and the three entries stay.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=refuse CODE='unmerged operationInProgress'
setup() { base "$1"; git checkout -q -b o; printf 'theirs\n' >a.txt; git_c commit -q -am o; git checkout -q main; printf 'ours\n' >a.txt; git_c commit -q -am m; git_c merge -q o >/dev/null 2>&1; printf 'solved\n' >a.txt; printf 's\n' >s.txt; git add s.txt; printf 'n\n' >n.txt; }
claim() { [ "$(git ls-files -u | wc -l)" = 3 ] && ! grep -q '<<<' a.txt; }
check() { [ "$(cat "$1/a.txt")" = solved ] && [ -f "$1/.git/MERGE_HEAD" ] || echo "the merge is not as it was"; }
run "$@"
