#!/usr/bin/env bash
# CASE  : 253-links-in-circles-and-with-odd-texts
# KIND  : links   WANT: exact
# SOURCE: symlink(7) ; git stores a link's text as it is
# STATE : untracked links: to themselves, to each other, to nothing, with a line end, with bytes that are no UTF-8, and 4,000 bytes long; a tracked link is changed to one of the same length
# EXPECT: each comes with its text, byte for byte; none is followed
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=links WANT=exact
setup() { base "$1"; ln -s aaa l; git add l; git_c commit -qm l; ln -s self self; ln -s b2 b1; ln -s b1 b2; ln -s /nowhere/at/all gone; ln -s $'two\nlines' newline; ln -s $'\xff\xfe' bytes; ln -s "$(printf 'x%.0s' {1..4000})" long; ln -sfn bbb l; }
claim() { [ "$(readlink l)" = bbb ] && [ "$(state | tr ';' '\n' | grep -c .)" = 8 ]; }
run "$@"
