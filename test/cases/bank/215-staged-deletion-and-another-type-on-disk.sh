#!/usr/bin/env bash
# CASE  : 215-staged-deletion-and-another-type-on-disk
# KIND  : type-change   WANT: exact
# SOURCE: git-rm(1) --cached ; combines 006, 009 and 010
# STATE : three files are staged as deleted; on disk one is now a folder with a file, one a link, one an empty file of mode 0600
# EXPECT: the deletions in the index, the new things on disk, untracked.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=type-change WANT=exact
setup() { base "$1"; git rm -q --cached a.txt src/b.txt docs/c.md; rm a.txt src/b.txt; mkdir a.txt; printf 'i\n' >a.txt/i; ln -s ../run.sh src/b.txt; : >docs/c.md; chmod 600 docs/c.md; }
claim() { [ "$(state)" = 'D  a.txt;D  docs/c.md;D  src/b.txt;?? a.txt/i;?? docs/c.md;?? src/b.txt;' ] && [ -L src/b.txt ]; }
run "$@"
