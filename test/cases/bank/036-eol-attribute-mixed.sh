#!/usr/bin/env bash
# CASE  : 036-eol-attribute-mixed
# KIND  : eol   WANT: exact
# SOURCE: gitattributes(5) eol ; https://github.com/DefinitelyTyped/DefinitelyTyped/issues/8061
# STATE : *.bat text eol=crlf committed; the worktree copy of run.bat now has mixed line ends
# EXPECT: byte-exact in the child or named in the reply.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=eol WANT=exact
setup() { base "$1"; printf '*.bat text eol=crlf\n' >.gitattributes; printf 'a\r\nb\r\n' >run.bat; git add .; git_c commit -q -m e; printf 'a\r\nb\nc\r\n' >run.bat; }
claim() { git status --porcelain 2>/dev/null | grep -q run.bat; }
run "$@"
