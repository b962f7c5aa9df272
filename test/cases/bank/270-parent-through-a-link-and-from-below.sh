#!/usr/bin/env bash
# CASE  : 270-parent-through-a-link-and-from-below
# KIND  : parent   WANT: exact
# SOURCE: git-rev-parse(1) --show-toplevel: the physical path
# STATE : the tool is called in a folder below the parent that is itself a link to another folder of it
# EXPECT: the child is the whole parent
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=parent WANT=exact CWD=alias
setup() { base "$1"; ln -s src alias; printf 'e\n' >>a.txt; printf 'n\n' >src/n.txt; }
claim() { [ -L alias ] && [ "$(state)" = ' M a.txt;?? alias;?? src/n.txt;' ]; }
run "$@"
