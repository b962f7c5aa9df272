#!/usr/bin/env bash
# CASE  : 212-newline-in-names-and-secret-modes
# KIND  : names   WANT: exact
# SOURCE: gitfaq, core.quotePath ; https://github.com/northguild/worktree/pull/54 ; combines 015 and 024
# STATE : untracked: a 0700 folder with a newline in its name holds a 0600 file with a newline, a 0400 file and a 0711 folder; a link whose text has a newline; a tracked file with a tab is edited
# EXPECT: exact, modes of files and folders included.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=names WANT=exact
setup() { base "$1"; umask 022; printf 't\n' >$'t\tt'; git add .; git_c commit -q -m t; printf 'x\n' >>$'t\tt'; mkdir -m 700 $'d\nd'; printf 'k\n' >$'d\nd/k\nk'; chmod 600 $'d\nd/k\nk'; printf 'r\n' >$'d\nd/r'; chmod 400 $'d\nd/r'; mkdir $'d\nd/e'; printf 'e\n' >$'d\nd/e/e'; chmod 711 $'d\nd/e'; ln -s $'no\nwhere' l; }
claim() { [ "$(git ls-files -o -z --exclude-standard | tr -cd '\0' | wc -c)" = 4 ] && [ "$(stat -c %a $'d\nd/k\nk')" = 600 ]; }
run "$@"
