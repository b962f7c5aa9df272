#!/usr/bin/env bash
# CASE  : 262-git-folder-that-may-not-be-written
# KIND  : permissions   WANT: refuse
# SOURCE: chmod(1) ; a checkout that was mounted or shared read-only
# STATE : the git folder and its refs are read-only for an ordinary user; the parent has an edit and a new file
# EXPECT: refused, or rolled back; nothing is left
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=permissions WANT=refuse AS='nobody' CODE='createFailed badFolder' EXIT='1 3'
setup() { base "$1"; printf 'e\n' >>a.txt; printf 'n\n' >n.txt; chmod -R a-w .git; }
claim() { [ ! -w .git ] && [ "$(state)" = ' M a.txt;?? n.txt;' ]; }
cleanup() { chmod -R u+w "$1/.git"; }
run "$@"
