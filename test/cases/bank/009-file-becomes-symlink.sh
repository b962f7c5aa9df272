#!/usr/bin/env bash
# CASE  : 009-file-becomes-symlink
# KIND  : type-change   WANT: exact
# SOURCE: https://github.com/git/git/pull/1086 (D/F and type problems in stash)
# STATE : tracked file replaced by a symlink, tracked symlink replaced by a file
# EXPECT: types and targets equal the parent's.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=type-change WANT=exact
setup() { base "$1"; ln -s a.txt link; git add link; git_c commit -q -m l; rm a.txt; ln -s docs/c.md a.txt; rm link; printf 'now a file\n' >link; }
claim() { [ "$(git status --porcelain | sort | tr '\n' ';')" = ' T a.txt; T link;' ]; }
run "$@"
