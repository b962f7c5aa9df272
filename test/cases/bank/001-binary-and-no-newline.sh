#!/usr/bin/env bash
# CASE  : 001-binary-and-no-newline
# KIND  : content   WANT: exact
# SOURCE: https://github.com/omartelo/lich/pull/616 (fork carries binaries); git-stash(1)
# STATE : tracked binary with NUL bytes changed, text file left without a final newline, one tracked file emptied
# EXPECT: the child has the same bytes; the parent is untouched. A text-only pipe (git diff | git apply) must not be used.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=content WANT=exact
setup() { base "$1"; printf '\0\1\2bin\377\n' >pic.bin; git add pic.bin; git_c commit -q -m bin; printf '\0\0\376new\0' >pic.bin; printf 'one\ntwo' >a.txt; : >docs/c.md; }
claim() { [ "$(git status --porcelain | wc -l)" = 3 ] && ! tail -c1 a.txt | grep -q '^$'; }
run "$@"
