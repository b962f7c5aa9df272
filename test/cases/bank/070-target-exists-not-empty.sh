#!/usr/bin/env bash
# CASE  : 070-target-exists-not-empty
# KIND  : target   WANT: refuse   TARGET
# SOURCE: https://github.com/gitkraken/vscode-gitlens/issues/2465
# STATE : the target directory exists and holds somebody's file
# EXPECT: refused; the file is still there (a rollback with rm -rf would delete it); no branch is left.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=target WANT=refuse CODE=folderTaken
setup() { base "$1"; printf 'x\n' >>a.txt; }
target() { mkdir -p "$2"; printf 'precious\n' >"$2/precious.txt"; }
claim() { :; }
check() { [ "$(cat "$2/precious.txt" 2>/dev/null)" = precious ] || echo "the file in the existing target is gone"; }
run "$@"
