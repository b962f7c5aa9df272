#!/usr/bin/env bash
# CASE  : 003-staged-new-then-edited
# KIND  : index   WANT: exact
# SOURCE: https://github.com/libgit2/libgit2/pull/3259 (new files come back staged, the rest does not) ; magit/magit#1722
# STATE : AM - new file staged, then edited
# EXPECT: child has the edited bytes. Plain apply stages new files and only those: a consistent rule is needed (all staged as in the parent, or none).
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; printf 'v1\n' >new.txt; git add new.txt; printf 'v2\n' >new.txt; }
claim() { [ "$(git status --porcelain)" = 'AM new.txt' ]; }
run "$@"
