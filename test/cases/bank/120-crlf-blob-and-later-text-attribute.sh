#!/usr/bin/env bash
# CASE  : 120-crlf-blob-and-later-text-attribute
# KIND  : eol   WANT: exact
# SOURCE: https://github.com/mesonbuild/meson/pull/4446 (a new worktree is dirty at once) ; https://github.com/TurboPack/DOSCommand/issues/26 ; gitattributes(5) text
# STATE : crlf.txt and crlf2.txt were committed with CRLF, the attribute "*.txt text" came later. crlf.txt is untouched: the parent's status says nothing of it; crlf2.txt has one more CRLF line, another file an edit
# EXPECT: exact bytes (CRLF stays). A fresh child shows " M crlf.txt" at once and for ever although bytes and entry are equal: no reason to refuse, to roll
#         back, or to call the target dirty. The check sets new times on both sides, so that both git statuses look at the bytes before they are compared.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=eol WANT=exact
setup() { base "$1"; printf 'x\r\ny\r\n' >crlf.txt; printf 'p\r\nq\r\n' >crlf2.txt; touch -d @1700000100 crlf.txt crlf2.txt; git add crlf.txt crlf2.txt; git_c commit -q -m crlf; printf '*.txt text\n' >.gitattributes; git add .gitattributes; git_c commit -q -m attr; printf 'r\r\n' >>crlf2.txt; printf 'x\n' >>src/b.txt; printf 'n\n' >n.md; }
claim() { [ "$(git --no-optional-locks status --porcelain | tr '\n' ';')" = ' M crlf2.txt; M src/b.txt;?? n.md;' ] && ( export GIT_INDEX_FILE=$PWD/../probe-index; rm -f "$GIT_INDEX_FILE"; git read-tree HEAD && git diff-files --name-only | grep -qx crlf.txt && git update-index -q --refresh; git diff-files --name-only | grep -qx crlf.txt; r=$?; rm -f "$GIT_INDEX_FILE"; exit $r ); }
check() { [ -f "$2/crlf.txt" ] || return 0; touch -d @1700000200 "$1/crlf.txt" "$2/crlf.txt"; }
run "$@"
