#!/usr/bin/env bash
# CASE  : 236-empty-files-staged-and-intended
# KIND  : index   WANT: exact
# SOURCE: git-add(1) -N ; git behaviour, reproduced (both have the empty blob's id); combines 005 and 125
# STATE : six empty files: staged; staged and then filled; intent-to-add; intent-to-add and then filled; intent-to-add with assume-unchanged; untracked
# EXPECT: exact: which of them are staged and which only intended is kept.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; for f in 1 2 3 4 5 6; do : >e$f; done; git add e1 e2; git add -N e3 e4 e5; git update-index --assume-unchanged e5; printf 'x\n' >e2; printf 'x\n' >e4; }
claim() { [ "$(git --no-optional-locks status --porcelain | tr '\n' ';')" = 'A  e1;AM e2; A e3; A e4;?? e6;' ] || [ "$(git --no-optional-locks status --porcelain | tr '\n' ';')" = 'A  e1;AM e2; A e3; A e4; A e5;?? e6;' ]; }
run "$@"
