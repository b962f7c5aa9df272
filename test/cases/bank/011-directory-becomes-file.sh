#!/usr/bin/env bash
# CASE  : 011-directory-becomes-file
# KIND  : type-change   WANT: exact
# SOURCE: https://github.com/git/git/pull/1086
# STATE : tracked directory src/ replaced by an untracked file named src
# EXPECT: src is a file with the same bytes in the child.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=type-change WANT=exact
setup() { base "$1"; rm -r src; printf 'file now\n' >src; }
claim() { git status --porcelain | grep -q '^?? src$' && git status --porcelain | grep -q '^ D src/b.txt'; }
run "$@"
