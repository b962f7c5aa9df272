#!/usr/bin/env bash
# CASE  : 092-nothing-to-carry
# KIND  : parent   WANT: exact
# SOURCE: https://github.com/the-agency-ai/the-agency/pull/435 (empty stash output, then the wrong entry was popped) ; Orca, "Fork Agent Session…" (switch shown only with changes)
# STATE : no change at all, but an old stash entry exists
# EXPECT: a clean child; git stash create prints nothing: "stash apply" with an empty argument would apply the OLD entry.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=parent WANT=exact
setup() { base "$1"; printf 's1\n' >>a.txt; git stash -q; }
claim() { [ -z "$(git status --porcelain)" ] && [ "$(git stash list | wc -l)" = 1 ]; }
run "$@"
