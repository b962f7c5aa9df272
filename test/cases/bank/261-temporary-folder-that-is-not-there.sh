#!/usr/bin/env bash
# CASE  : 261-temporary-folder-that-is-not-there
# KIND  : environment   WANT: refuse
# SOURCE: environ(7) TMPDIR ; a sandbox with a stale TMPDIR
# STATE : TMPDIR names a folder that does not exist; an edit under assume-unchanged would need a private copy of the index
# EXPECT: refused by name, with nothing written; never the index itself used instead of a copy
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=environment WANT=refuse CODE=temporaryFolder
setup() { base "$1"; git update-index --assume-unchanged a.txt; printf 'e\n' >>a.txt; }
claim() { [ -z "$(state)" ]; }
env_for() { echo TMPDIR=/nowhere/at/all; }
run "$@"
