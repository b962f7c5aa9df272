#!/usr/bin/env bash
# CASE  : 250-gitignore-becomes-a-link
# KIND  : ignore   WANT: exact
# SOURCE: gitignore(5): a .gitignore that is a symbolic link is not followed (2.32)
# STATE : the tracked .gitignore is replaced by a link to a file with the same rules, in which *.log is ignored: git follows no such link, so x.log is untracked by now
# EXPECT: x.log comes, and .gitignore comes as a link
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=ignore WANT=exact MIN_GIT=2.32
setup() { base "$1"; cp .gitignore ../rules-of-the-parent; rm .gitignore; ln -s ../rules-of-the-parent .gitignore; printf 'log\n' >x.log; }
claim() { [ "$(state)" = ' T .gitignore;?? x.log;' ]; }
run "$@"
