#!/usr/bin/env bash
# CASE  : 252-submodule-entry-becomes-a-link
# KIND  : type-change   WANT: exact
# SOURCE: gitmodules(5): an entry of mode 160000 whose folder was replaced
# STATE : a submodule that was never checked out is replaced by a link that leads out of the repository, and another is staged as a file
# EXPECT: the link comes as a link, with its text; nothing behind it is read or written; the file is staged and there
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=type-change WANT=exact
setup() { base "$1"; for s in one two; do git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,$s; mkdir $s; done; git_c commit -qm subs; rmdir one two; ln -s ../../../outside one; printf 'file\n' >two; git add two; }
claim() { [ -L one ] && [ "$(git ls-files -s one | cut -c1-6)" = 160000 ] && [ "$(git ls-files -s two | cut -c1-6)" = 100644 ]; }
run "$@"
