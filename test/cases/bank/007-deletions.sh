#!/usr/bin/env bash
# CASE  : 007-deletions
# KIND  : index   WANT: exact
# SOURCE: git-stash(1)
# STATE : one file deleted only on disk, one with git rm
# EXPECT: both absent in the child; emptied directories may go.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; rm src/b.txt; git rm -q docs/c.md; }
claim() { git status --porcelain | grep -q '^ D src/b.txt' && git status --porcelain | grep -q '^D  docs/c.md'; }
run "$@"
