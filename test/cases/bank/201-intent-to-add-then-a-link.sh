#!/usr/bin/env bash
# CASE  : 201-intent-to-add-then-a-link
# KIND  : index   WANT: either   EXIT='1 3'
# SOURCE: git-add(1) -N ; git behaviour, reproduced; combines 005 and 009
# STATE : git add -N new.txt while it was a file, then it was replaced by a link: the entry still says 100644
# EXPECT: exact, or taken back whole. An entry that says 120000 in the child is a difference.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=either EXIT='1 3'
setup() { base "$1"; printf 'n\n' >new.txt; git add -N new.txt; rm new.txt; ln -s a.txt new.txt; printf 'x\n' >>src/b.txt; }
claim() { [ "$(git --no-optional-locks status --porcelain=v2 | cut -d' ' -f2,9- | tr '\n' ';')" = '.A new.txt;.M src/b.txt;' ] && [ -L new.txt ] && git ls-files -s new.txt | grep -q '^100644'; }
run "$@"
