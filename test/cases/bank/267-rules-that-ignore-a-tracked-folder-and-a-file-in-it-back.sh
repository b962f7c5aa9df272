#!/usr/bin/env bash
# CASE  : 267-rules-that-ignore-a-tracked-folder-and-a-file-in-it-back
# KIND  : index   WANT: exact
# SOURCE: gitignore(5): tracked files are not ignored, new ones beside them are
# STATE : src/ is ignored by an untracked .gitignore in it; a tracked file there is edited, one is added by force and edited again, one was taken out of the index and is ignored by now
# EXPECT: each comes as it is; the staged one stays staged, the one taken out stays out of the index and on disk
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; printf 'two\n' >src/two; git add src/two; git_c commit -qm two; printf '*\n' >src/.gitignore; printf 'e\n' >>src/b.txt; printf 'forced\n' >src/forced; git add -f src/forced; printf 'again\n' >>src/forced; git rm -q --cached src/two; }
claim() { [ "$(state)" = ' M src/b.txt;AM src/forced;D  src/two;' ] && [ -e src/two ]; }
run "$@"
