#!/usr/bin/env bash
# CASE  : 204-read-only-folder-new-file-and-deletion
# KIND  : permissions   WANT: exact   AS='nobody'
# SOURCE: chmod(2) ; https://github.com/max-sixty/worktrunk/issues/4108 ; combines 136 and 007
# STATE : run as an ordinary user; in the tracked folder docs/ one file was deleted, one edited, one is new; then docs/ became 0555. An untracked folder ro/ 0555 holds a link and a 0400 file
# EXPECT: exact; the parent's folder stays 0555 and nothing in it is touched.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=permissions WANT=exact AS='nobody'
setup() { base "$1"; printf 'd\n' >docs/d.md; git add .; git_c commit -q -m d; rm docs/d.md; printf 'e\n' >>docs/c.md; printf 'n\n' >docs/n.md; mkdir ro; ln -s ../a.txt ro/l; printf 'k\n' >ro/k; chmod 400 ro/k; chmod 555 docs ro; }
claim() { [ "$(state)" = ' M docs/c.md; D docs/d.md;?? docs/n.md;?? ro/k;?? ro/l;' ] && ! (: >docs/probe) 2>/dev/null; }
cleanup() { chmod -R u+w "$1" "$2"; }
run "$@"
