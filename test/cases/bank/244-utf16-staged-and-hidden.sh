#!/usr/bin/env bash
# CASE  : 244-utf16-staged-and-hidden
# KIND  : filter   WANT: exact   MIN_GIT=2.18.0
# SOURCE: gitattributes(5) working-tree-encoding ; combines 039, 002 and 126
# STATE : u.txt is UTF-16 on disk: staged in a second version, edited again, then marked assume-unchanged; v.txt is replaced by bytes that are no UTF-16 (git cannot add it)
# EXPECT: exact bytes and entries; that git could not encode v.txt is nothing that the carry has to do with.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=filter WANT=exact MIN_GIT=2.18.0
setup() { base "$1"; printf '*.txt16 text working-tree-encoding=UTF-16\n' >.gitattributes; local t; for t in u v; do printf '\377\376h\0i\0\n\0' >$t.txt16; done; git add .; git_c commit -q -m u; printf '\377\376h\0o\0\n\0' >u.txt16; git add u.txt16; printf '\377\376h\0a\0!\0\n\0' >u.txt16; git update-index --assume-unchanged u.txt16; printf 'odd' >v.txt16; }
claim() { git ls-files -v u.txt16 | grep -q ^h && git --no-optional-locks status --porcelain 2>/dev/null | grep -q '^M  u.txt16' && ! git hash-object -w v.txt16 >/dev/null 2>&1; }
run "$@"
