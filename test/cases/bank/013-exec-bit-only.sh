#!/usr/bin/env bash
# CASE  : 013-exec-bit-only
# KIND  : mode   WANT: exact
# SOURCE: https://github.com/twosigma/git-meta/issues/488 (shadow commit strips the exec bit)
# STATE : chmod +x on a tracked file, chmod -x on another, no content change
# EXPECT: bits carried.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=mode WANT=exact
setup() { base "$1"; chmod +x a.txt; chmod -x run.sh; }
claim() { [ "$(git diff --summary | grep -c 'mode change')" = 2 ]; }
run "$@"
