#!/usr/bin/env bash
# CASE  : 266-filter-that-changes-with-the-changes
# KIND  : filter   WANT: exact
# SOURCE: gitattributes(5) filter ; git-lfs migrate before its commit
# STATE : a filter upcases on its way in; the parent's uncommitted .gitattributes takes it off one file and puts it on another, both edited, one staged by the new rule
# EXPECT: bytes and entries are the parent's; the child's checkout by the old rules shows nowhere
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=filter WANT=exact
setup() { base "$1"; git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'; printf '*.md filter=up\n' >.gitattributes; git add .; git add --renormalize .; git_c commit -qm rules; printf '*.txt filter=up\n' >.gitattributes; printf 'more\n' >>docs/c.md; printf 'more\n' >>a.txt; git add a.txt; }
claim() { [ "$(git show :a.txt | tail -1)" = MORE ] && [ "$(tail -1 a.txt)" = more ]; }
run "$@"
