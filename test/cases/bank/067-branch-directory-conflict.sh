#!/usr/bin/env bash
# CASE  : 067-branch-directory-conflict
# KIND  : branch   WANT: refuse   BRANCH: release
# SOURCE: https://github.com/max-sixty/worktrunk/issues/3527 ; https://github.com/kortix-ai/suna/pull/3316 ; https://github.com/reliant-labs/reliant/pull/287
# STATE : release/1.0 exists (packed), the wanted name is "release"
# EXPECT: refused before anything is made; no empty directory, no registry row. Also the other way round (a exists, a/b wanted).
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=branch WANT=refuse BRANCH='release' CODE=nameConflict
setup() { base "$1"; git branch release/1.0; git pack-refs --all; printf 'x\n' >>a.txt; }
claim() { git show-ref -q --verify refs/heads/release/1.0; }
run "$@"
