#!/usr/bin/env bash
# CASE  : 031-showuntracked-no
# KIND  : config   WANT: exact
# SOURCE: https://github.com/desktop/desktop/issues/3734 ; https://github.com/desktop/dugite-native/issues/72
# STATE : status.showUntrackedFiles=no in the repository's config; untracked files exist
# EXPECT: they are carried: list with ls-files --others or an explicit --untracked-files=all.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=config WANT=exact
setup() { base "$1"; git config status.showUntrackedFiles no; printf 'new\n' >new.txt; mkdir nd; printf 'n\n' >nd/n.txt; printf 'x\n' >>a.txt; }
claim() { [ "$(git status --porcelain)" = ' M a.txt' ]; }
run "$@"
