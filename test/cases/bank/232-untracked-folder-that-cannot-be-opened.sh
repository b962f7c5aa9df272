#!/usr/bin/env bash
# CASE  : 232-untracked-folder-that-cannot-be-opened
# KIND  : permissions   WANT: either   AS='nobody' CODE=unreadable
# SOURCE: https://github.com/vippsas/manifold/issues/543 ; git behaviour, reproduced (status only warns) ; combines 018 and 093
# STATE : run as an ordinary user; an untracked folder is 0000, as a container left it: git status warns on stderr, exit status 0, and lists nothing of it; a sub folder of a tracked folder likewise
# EXPECT: refused naming it, or the rest carried and the folder named in left. Silence is wrong.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=permissions WANT=either AS='nobody' CODE=unreadable
setup() { base "$1"; printf 'x\n' >>a.txt; mkdir locked docs/shut; printf 'l\n' >locked/l; printf 's\n' >docs/shut/s; chmod 000 locked docs/shut; }
claim() { [ "$(state 2>/dev/null)" = ' M a.txt;' ] && git status --porcelain 2>&1 >/dev/null | grep -q locked; }
check() { [ -e "$2/.git" ] || return 0; left locked || echo "locked/ is not named"; left docs/shut || echo "docs/shut is not named"; }
cleanup() { chmod 755 "$1/locked" "$1/docs/shut"; }
run "$@"
