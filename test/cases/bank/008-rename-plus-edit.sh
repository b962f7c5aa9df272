#!/usr/bin/env bash
# CASE  : 008-rename-plus-edit
# KIND  : index   WANT: exact
# SOURCE: https://github.com/desktop/desktop/issues/17860 (rename lost through a stash) ; Orca, "Fork Agent Session…" (rename rollback)
# STATE : git mv a.txt moved/a2.txt and an edit; src/b.txt moved by plain mv (D + ??)
# EXPECT: new paths exist with the right bytes and old paths are gone.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; mkdir moved; git mv a.txt moved/a2.txt; printf 'four\n' >>moved/a2.txt; mv src/b.txt src/renamed.txt; }
claim() { git status --porcelain | grep -q '^RM a.txt -> moved/a2.txt' && git status --porcelain | grep -q '?? src/renamed.txt'; }
run "$@"
