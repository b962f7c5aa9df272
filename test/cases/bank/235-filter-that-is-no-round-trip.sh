#!/usr/bin/env bash
# CASE  : 235-filter-that-is-no-round-trip
# KIND  : filter   WANT: exact
# SOURCE: gitattributes(5) filter ; https://github.com/PostHog/code/issues/1729 ; combines 038 and 002
# STATE : clean makes small letters, smudge capital ones; x.k is staged in one version and on disk in another, with letters of both kinds; y.k is clean but has letters of both kinds on disk; an untracked z.k has both too
# EXPECT: exact bytes of all three, the staged version in the index.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=filter WANT=exact
setup() { base "$1"; git config filter.case.clean 'tr A-Z a-z'; git config filter.case.smudge 'tr a-z A-Z'; printf '*.k filter=case\n' >.gitattributes; printf 'x\n' >x.k; printf 'y\n' >y.k; git add .; git_c commit -q -m k; printf 'StaGed\n' >x.k; git add x.k; printf 'MixEd more\n' >x.k; printf 'yY\n' >y.k; git add y.k; git_c commit -q -m y -- y.k; printf 'Zz\n' >z.k; }
claim() { [ "$(state)" = 'MM x.k;?? z.k;' ] && [ "$(git cat-file blob :x.k)" = staged ] && [ "$(cat y.k)" = yY ]; }
run "$@"
