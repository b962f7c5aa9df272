#!/usr/bin/env bash
# CASE  : 233-tracked-and-untracked-name-of-one-inode
# KIND  : links   WANT: exact
# SOURCE: link(2) ; combines 021 and 002
# STATE : a tracked, edited file and an untracked one are the same inode; two tracked files, one staged in another version, share another
# EXPECT: the same bytes under each name, each on an inode of its own, none shared with the parent.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=links WANT=exact
setup() { base "$1"; printf 'shared\n' >a.txt; ln a.txt h; printf 'v2\n' >docs/c.md; git add docs/c.md; printf 'both\n' >docs/c.md; rm src/b.txt; ln docs/c.md src/b.txt; }
claim() { [ a.txt -ef h ] && [ docs/c.md -ef src/b.txt ] && [ "$(state)" = ' M a.txt;MM docs/c.md; M src/b.txt;?? h;' ]; }
check() { [ -e "$2/.git" ] || return 0; [ ! "$2/a.txt" -ef "$2/h" ] && [ ! "$2/docs/c.md" -ef "$2/src/b.txt" ] || echo "names share an inode in the child"; }
run "$@"
