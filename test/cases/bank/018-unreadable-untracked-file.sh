#!/usr/bin/env bash
# CASE  : 018-unreadable-untracked-file
# KIND  : permissions   WANT: refuse   AS: nobody
# SOURCE: https://github.com/versionpress/versionpress/issues/1405 ; Orca, "Fork Agent Session…" (all or nothing)
# STATE : run as an ordinary user; one untracked file cannot be read (mode 000, as a container left it)
# EXPECT: refused naming the file, before a worktree, a branch or a file exists. Never a partial copy.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=permissions WANT=refuse AS='nobody' CODE=unreadable
setup() { base "$1"; printf 'x\n' >>a.txt; printf 'locked\n' >locked.bin; printf 'fine\n' >zz.txt; chmod 000 locked.bin; }
claim() { [ ! -r locked.bin ] && git ls-files -o --exclude-standard | grep -q locked.bin; }
cleanup() { chmod 644 "$1/locked.bin"; }
run "$@"
