#!/usr/bin/env bash
# CASE  : 211-git-variables-and-a-subdirectory
# KIND  : environment   WANT: exact   CWD='src'
# SOURCE: https://github.com/gitgitgadget/git/pull/354 ; githooks(5), GIT_DIR in hooks ; combines 064 and 086
# STATE : the tool is given PARENT/src and runs with GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE of another repository, GIT_PREFIX, GIT_LITERAL_PATHSPECS, GIT_CEILING_DIRECTORIES above the parent, and GIT_OBJECT_DIRECTORY somewhere else
# EXPECT: exact for the whole worktree, the other repository untouched, nothing written to the other object folder.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=environment WANT=exact CWD='src'
setup() { base "$1.other"; base "$1"; printf 'x\n' >>a.txt; printf 'v2\n' >src/b.txt; git add src/b.txt; printf 'in\n' >src/in.txt; printf 'top\n' >top.txt; mkdir "$1.objects"; }
claim() { [ "$(state)" = ' M a.txt;M  src/b.txt;?? src/in.txt;?? top.txt;' ]; }
env_for() { printf '%s\n' "GIT_DIR=$1.other/.git" "GIT_WORK_TREE=$1.other" "GIT_INDEX_FILE=$1.other/.git/index" GIT_PREFIX=src/ GIT_ICASE_PATHSPECS=1 "GIT_OBJECT_DIRECTORY=$1.objects" GIT_NAMESPACE=ns GIT_EXTERNAL_DIFF=/bin/false "GIT_TRACE=$1.trace"; }
check() { [ -z "$(ls -A "$1.objects")" ] || echo "something was written to the other object folder"; [ "$(git -C "$1.other" branch | wc -l)" = 1 ] || echo "a branch was made in the other repository"; [ -z "$(git -C "$1.other" status --porcelain)" ] || echo "the other repository changed"; [ ! -e "$1.trace" ] || echo "git was traced into $1.trace"; }
run "$@"
