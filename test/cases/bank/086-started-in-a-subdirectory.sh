#!/usr/bin/env bash
# CASE  : 086-started-in-a-subdirectory
# KIND  : paths   WANT: exact   CWD: src
# SOURCE: https://github.com/gitgitgadget/git/pull/354 (stash apply from a worktree's subdirectory)
# STATE : the editor's workspace folder is PARENT/src, changes are in and above it
# EXPECT: exact for the whole worktree. git ls-files --others lists only what is below the current directory, relative to it.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=paths WANT=exact CWD='src'
setup() { base "$1"; printf 'x\n' >>a.txt; printf 'top\n' >top.txt; printf 'in\n' >src/in.txt; }
claim() { [ "$(git -C src ls-files -o --exclude-standard)" = in.txt ]; }
run "$@"
