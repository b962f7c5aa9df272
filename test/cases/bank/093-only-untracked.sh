#!/usr/bin/env bash
# CASE  : 093-only-untracked
# KIND  : parent   WANT: exact
# SOURCE: https://github.com/the-agency-ai/the-agency/pull/435
# STATE : only untracked files, and an old stash entry
# EXPECT: they arrive, the old entry is not applied.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=parent WANT=exact
setup() { base "$1"; printf 's1\n' >>a.txt; git stash -q; mkdir nd; printf 'n\n' >nd/n.txt; }
claim() { [ "$(git status --porcelain)" = '?? nd/' ]; }
run "$@"
