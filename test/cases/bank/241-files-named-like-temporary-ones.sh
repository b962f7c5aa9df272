#!/usr/bin/env bash
# CASE  : 241-files-named-like-temporary-ones
# KIND  : names   WANT: exact
# SOURCE: rename(2) ; own design (a copy is written beside its target under a short name) ; combines 024 and 135
# STATE : .sf-0 … .sf-3 are tracked and edited, deleted, or untracked; one is a folder, one a link; the same in docs/
# EXPECT: exact: no temporary name meets a file of the user's.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=names WANT=exact
setup() { base "$1"; local d i; for d in . docs; do for i in 0 1 2; do printf '%s\n' $i >$d/.sf-$i; done; done; git add .; git_c commit -q -m sf; for d in . docs; do printf 'e\n' >>$d/.sf-0; rm $d/.sf-1; rm $d/.sf-2; mkdir $d/.sf-2; printf 'i\n' >$d/.sf-2/.sf-0; for i in 3 4 5; do printf 'u%s\n' $i >$d/.sf-$i; done; ln -s nowhere $d/.sf-6; done; printf 'x\n' >>a.txt; printf 'x\n' >>docs/c.md; }
claim() { [ "$(state | tr ';' '\n' | grep -c 'sf-')" = 16 ]; }
run "$@"
