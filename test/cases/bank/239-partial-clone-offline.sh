#!/usr/bin/env bash
# CASE  : 239-partial-clone-offline
# KIND  : format   WANT: exact
# SOURCE: partial-clone(7) ; https://github.com/gitpython-developers/GitPython/issues/1475 ; combines 081 and 002
# STATE : a clone with --filter=blob:none whose origin is gone: blobs of old versions are missing; staged, unstaged and new files
# EXPECT: exact without network, nothing waits for a promisor.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=format WANT=exact
setup() { base "$1.src"; printf 'old\n' >a.txt; git_c commit -q -am old; printf 'now\n' >a.txt; git_c commit -q -am now; git config uploadpack.allowFilter true; git clone -q --filter=blob:none "file://$1.src" "$1"; rm -rf "$1.src"; cd "$1"; printf 'v2\n' >a.txt; git add a.txt; printf 'v3\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { [ "$(git config remote.origin.promisor)" = true ] && ! git cat-file -e HEAD~1:a.txt 2>/dev/null && [ "$(state)" = 'MM a.txt;?? n.txt;' ]; }
run "$@"
