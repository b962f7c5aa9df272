#!/usr/bin/env bash
# CASE  : 246-touched-within-the-same-second
# KIND  : parent   WANT: exact
# SOURCE: Documentation/technical/racy-git.txt ; combines 091 and 002
# STATE : two files were edited to the same size within the time stamp of the index, so that only git's rule for racily clean entries finds them; times of file and index are equal
# EXPECT: exact. A private copy of the index that is younger than the original hides both edits.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=parent WANT=exact
setup() { base "$1"; printf 'v1\n' >r1; printf 'v1\n' >r2; touch -d @1700000100 r1 r2; git add r1 r2; git_c commit -q -m r; printf 'v2\n' >r1; git add r1; printf 'v2\n' >r2; touch -d @1700000100 r1 r2; git update-index -q --refresh; git add r1; printf 'v3\n' >r1; printf 'v4\n' >r2; touch -d @1700000100 r1 r2; git update-index --no-refresh 2>/dev/null; touch -d @1700000100 .git/index; }
claim() { [ "$(state r1 r2)" = 'MM r1; M r2;' ]; }
run "$@"
