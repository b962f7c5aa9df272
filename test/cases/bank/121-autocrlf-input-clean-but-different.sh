#!/usr/bin/env bash
# CASE  : 121-autocrlf-input-clean-but-different
# KIND  : eol   WANT: exact
# SOURCE: https://github.com/richlander/dotnet-inspect/issues/3611 (status is clean, the bytes are not) ; git-config(1) core.autocrlf
# STATE : core.autocrlf=input; win.txt has CRLF on disk and LF in its blob, committed and clean; another file is edited
# EXPECT: the child's win.txt has the parent's 6 bytes, not the 4 of a fresh checkout: status is empty on both sides and proves nothing; the entry stays the LF
#         blob.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=eol WANT=exact
setup() { base "$1"; git config core.autocrlf input; printf 'x\r\ny\r\n' >win.txt; touch -d @1700000100 win.txt; git add win.txt 2>/dev/null; git_c commit -q -m win; printf 'x\n' >>src/b.txt; printf 'n\r\n' >n.txt; }
claim() { [ "$(git --no-optional-locks status --porcelain | tr '\n' ';')" = ' M src/b.txt;?? n.txt;' ] && [ "$(git cat-file -s :win.txt)" = 4 ] && [ "$(stat -c %s win.txt)" = 6 ]; }
run "$@"
