#!/usr/bin/env bash
# CASE  : 010-file-becomes-directory
# KIND  : type-change   WANT: exact
# SOURCE: https://github.com/git/git/pull/1086
# STATE : tracked file a.txt replaced by a directory with untracked files
# EXPECT: a.txt/ is a directory with both files. The untracked copy must come after the deletion of the file, and a rollback must be able to undo it.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=type-change WANT=exact
setup() { base "$1"; rm a.txt; mkdir a.txt; printf 'in\n' >a.txt/in.txt; printf 'in2\n' >a.txt/in2.txt; }
claim() { git status --porcelain -uall | grep -q '^?? a.txt/in.txt' && git status --porcelain | grep -q '^ D a.txt'; }
run "$@"
