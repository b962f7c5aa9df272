#!/usr/bin/env bash
# CASE  : 258-socket-in-the-place-of-a-staged-file
# KIND  : special   WANT: report
# SOURCE: unix(7) ; a development server that binds where a file was
# STATE : a.txt is staged with new content and then replaced by a FIFO; a FIFO lies in an ignored folder too
# EXPECT: the staged entry comes; the FIFO is named and never opened
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=special WANT=report
setup() { base "$1"; printf 'staged\n' >a.txt; git add a.txt; rm a.txt; mkfifo a.txt; mkdir ignored; mkfifo ignored/p; printf 'e\n' >>src/b.txt; }
claim() { [ -p a.txt ] && [ "$(git show :a.txt)" = staged ]; }
check() { [ -e "$2/.git" ] || return 0; left a.txt specialFile || echo "a.txt is not named"; }
run "$@"
