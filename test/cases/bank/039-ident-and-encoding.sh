#!/usr/bin/env bash
# CASE  : 039-ident-and-encoding
# KIND  : filter   WANT: exact
# SOURCE: gitattributes(5) ident, working-tree-encoding
# STATE : a file with ident ($Id$) edited, a UTF-16 file with working-tree-encoding edited
# EXPECT: byte-exact. ident re-expands on checkout of a different blob; compare bytes, report if they differ.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=filter WANT=exact
setup() { base "$1"; printf 'v.c ident\nw.txt text working-tree-encoding=UTF-16\n' >.gitattributes; printf '// $Id$\nint v;\n' >v.c; printf '\377\376h\0i\0\n\0' >w.txt; git add .; git_c commit -q -m i; rm v.c; git checkout -q -- v.c; printf 'int w;\n' >>v.c; printf '\377\376h\0o\0\n\0' >w.txt; }
claim() { [ "$(git diff --name-only | wc -l)" = 2 ] && grep -q 'Id: ' v.c; }
run "$@"
