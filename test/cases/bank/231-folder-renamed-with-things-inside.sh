#!/usr/bin/env bash
# CASE  : 231-folder-renamed-with-things-inside
# KIND  : index   WANT: exact
# SOURCE: git-mv(1) ; https://github.com/desktop/desktop/issues/17860 ; combines 008 and 093
# STATE : docs/ was moved to doc2/ with git mv, with an untracked file in it that moved along; doc2/c.md was edited; a new, untracked docs/ with an untracked c.md was made
# EXPECT: exact: the untracked docs/c.md is not taken for the old tracked one, nor lost with it.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; printf 'u\n' >docs/u.txt; git mv docs doc2; printf 'e\n' >>doc2/c.md; mkdir docs; printf 'other\n' >docs/c.md; }
claim() { [ "$(state --no-renames)" = 'AM doc2/c.md;D  docs/c.md;?? doc2/u.txt;?? docs/c.md;' ]; }
run "$@"
