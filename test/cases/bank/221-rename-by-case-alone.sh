#!/usr/bin/env bash
# CASE  : 221-rename-by-case-alone
# KIND  : names   WANT: exact
# SOURCE: git-config(1) core.ignoreCase ; https://github.com/desktop/desktop/issues/17860 ; combines 008 and 026
# STATE : a.txt was moved to A.TXT with git mv and edited; docs/c.md to docs/C.md on disk alone; core.ignoreCase=false
# EXPECT: on a file system that keeps case, both names are what they are in the parent: the old ones gone, the new ones there.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=names WANT=exact
setup() { base "$1"; git mv a.txt A.TXT; printf 'x\n' >>A.TXT; mv docs/c.md docs/C.md; }
claim() { [ "$(state --no-renames)" = 'D  a.txt;AM A.TXT; D docs/c.md;?? docs/C.md;' ] || [ "$(state --no-renames)" = 'AM A.TXT;D  a.txt; D docs/c.md;?? docs/C.md;' ]; }
run "$@"
