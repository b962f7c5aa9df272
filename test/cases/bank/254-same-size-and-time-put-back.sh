#!/usr/bin/env bash
# CASE  : 254-same-size-and-time-put-back
# KIND  : settings   WANT: exact
# SOURCE: git-config(1) core.checkStat, core.trustctime ; racy git
# STATE : core.checkStat=minimal and core.trustctime=false; a tracked file was edited to other bytes of the same size, and its time put back: git calls it clean
# EXPECT: the child has the parent's bytes
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=settings WANT=exact
setup() { base "$1"; git config core.checkStat minimal; git config core.trustctime false; touch -d 2020-01-01 a.txt src/b.txt; git update-index -q --refresh; printf 'ONE\ntwo\nthree\n' >a.txt; touch -d 2020-01-01 a.txt; printf 'n\n' >n.txt; }
claim() { [ "$(state)" = '?? n.txt;' ] && grep -q ONE a.txt; }
run "$@"
