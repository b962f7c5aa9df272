#!/usr/bin/env bash
# CASE  : 094-empty-directories
# KIND  : special   WANT: exact
# SOURCE: gitfaq "empty directories"
# STATE : empty untracked directories, and a directory with only ignored files, next to an edit
# EXPECT: no error. They may be left out (git has no notion of them); compare.sh --empty-dirs shows what the tool does; say it in the documentation.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=special WANT=exact
setup() { base "$1"; mkdir -p empty/deeper logs; printf 'l\n' >logs/x.log; printf 'x\n' >>a.txt; }
claim() { [ "$(git status --porcelain)" = ' M a.txt' ]; }
run "$@"
