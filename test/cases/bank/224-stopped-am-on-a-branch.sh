#!/usr/bin/env bash
# CASE  : 224-stopped-am-on-a-branch
# KIND  : state   WANT: refuse   CODE=operationInProgress
# SOURCE: git-am(1) ; https://github.com/hotovo/aider-desk/pull/916 ; combines 051 and 093
# STATE : git am stopped at a patch that does not apply: HEAD is on its branch, no entry is unmerged, status is clean but for a new file; only rebase-apply/applying says it
# EXPECT: refused as an operation in progress; git am --abort works afterwards.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=refuse CODE=operationInProgress
setup() { base "$1"; printf 'l\n' >>a.txt; git_c commit -q -am l; git format-patch -q -1 --stdout >../p.patch; git_c am -q ../p.patch >/dev/null 2>&1; rm ../p.patch; printf 'n\n' >n.txt; }
claim() { [ -e .git/rebase-apply/applying ] && git symbolic-ref -q HEAD >/dev/null && [ "$(state)" = '?? n.txt;' ]; }
run "$@"
