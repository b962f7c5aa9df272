#!/usr/bin/env bash
# CASE  : 251-staged-file-in-the-place-of-a-folder-that-is-back
# KIND  : type-change   WANT: exact
# SOURCE: git-add(1), git-rm(1): the index has a file where the disk has a folder of the same name
# STATE : folder src was removed and a file src staged in its place; then the file was taken away and the folder came back with other content
# EXPECT: the index has the file, the disk the folder: neither in the place of the other
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=type-change WANT=exact
setup() { base "$1"; git rm -rq src; printf 'a file\n' >src; git add src; rm src; mkdir src; printf 'back\n' >src/b.txt; printf 'more\n' >src/more; }
claim() { [ "$(git ls-files src)" = src ] && [ -d src ] && git --no-optional-locks status --porcelain -uall | grep -qx '?? src/b.txt'; }
run "$@"
