#!/usr/bin/env bash
# CASE  : 207-folder-becomes-link-with-another-version-staged
# KIND  : type-change   WANT: exact
# SOURCE: https://github.com/git/git/pull/1086 ; combines 002 and 011
# STATE : src/b.txt is staged in a second version, then src/ was replaced by a link to docs, which has a file of its own named b.txt, untracked
# EXPECT: the index keeps src/b.txt in its second version, src is a link on disk, docs/b.txt comes: nothing is written through the link.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=type-change WANT=exact
setup() { base "$1"; printf 'v2\n' >src/b.txt; git add src/b.txt; rm -r src; ln -s docs src; printf 'mine\n' >docs/b.txt; }
claim() { [ "$(state)" = 'MD src/b.txt;?? docs/b.txt;?? src;' ] && [ "$(git cat-file blob :src/b.txt)" = v2 ]; }
run "$@"
