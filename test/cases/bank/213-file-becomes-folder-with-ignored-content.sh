#!/usr/bin/env bash
# CASE  : 213-file-becomes-folder-with-ignored-content
# KIND  : type-change   WANT: exact
# SOURCE: https://github.com/git/git/pull/1086 ; gitignore(5) ; combines 010 and 041
# STATE : a.txt is staged in a second version, then replaced by a folder with an untracked .gitignore, a file that it hides and one that it does not
# EXPECT: exact: the staged version in the index, the folder with .gitignore and the visible file; the hidden one stays.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=type-change WANT=exact
setup() { base "$1"; printf 'v2\n' >a.txt; git add a.txt; rm a.txt; mkdir a.txt; printf 'out\n' >a.txt/.gitignore; printf 'o\n' >a.txt/out; printf 'i\n' >a.txt/in; }
claim() { [ "$(state)" = 'MD a.txt;?? a.txt/.gitignore;?? a.txt/in;' ]; }
check() { [ ! -e "$2/a.txt/out" ] || echo "copied an ignored file"; }
run "$@"
