#!/usr/bin/env bash
# CASE  : 005-intent-to-add
# KIND  : index   WANT: exact
# SOURCE: https://github.com/lint-staged/lint-staged/issues/990 ; https://github.com/NousResearch/hermes-agent/issues/115914
# STATE : git add -N new.txt (editors do this to show new files in diffs) plus an edit to a tracked file
# EXPECT: both files arrive (new.txt may be untracked or intent-to-add in the child). git stash create cannot save such an index, so it
#         has to be handled (e.g. work on a private copy of the index) and the parent's real index must stay as it is.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; printf 'new\n' >new.txt; git add -N new.txt; printf 'x\n' >>a.txt; }
claim() { git status --porcelain | grep -q '^ A new.txt'; }
run "$@"
