#!/usr/bin/env bash
# CASE  : 255-names-that-other-systems-take-for-git
# KIND  : names   WANT: either
# SOURCE: git-config(1) core.protectNTFS, core.protectHFS ; CVE-2014-9390
# STATE : untracked folders .GIT and .Git, a file git~1 and one named .git with a blank at its end, beside an edit
# EXPECT: all of it comes, or a refusal that names one; never a part
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=names WANT=either CODE='unsupportedState badFolder'
setup() { base "$1"; mkdir .GIT; printf '[core]\n\tfsmonitor = touch /tmp/ran\n' >.GIT/config; mkdir '.Git'; printf 'x\n' >.Git/HEAD; printf 'n\n' >'git~1'; printf 'b\n' >'.git '; printf 'e\n' >>a.txt; }
claim() { [ "$(state | tr ';' '\n' | grep -c .)" -ge 4 ]; }
run "$@"
