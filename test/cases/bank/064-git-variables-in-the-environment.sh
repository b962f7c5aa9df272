#!/usr/bin/env bash
# CASE  : 064-git-variables-in-the-environment
# KIND  : environment   WANT: exact   ENV
# SOURCE: https://github.com/anthropics/claude-code/issues/41314 ; https://github.com/2389-research/tracker/issues/399 ; https://github.com/ruby-git/ruby-git/issues/665 ; https://github.com/j178/prek/issues/2505
# STATE : the tool runs with GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE and GIT_PREFIX of ANOTHER repository (editor started from a git hook)
# EXPECT: exact, and the other repository and its index untouched: every git child gets an environment without the variables that
#         git rev-parse --local-env-vars lists.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=environment WANT=exact
setup() { base "$1.other"; printf 'o\n' >>a.txt; sha256sum .git/index >"$1.other.sum"; base "$1"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { [ -f "$PWD.other/.git/index" ]; }
env_for() { printf '%s\n' "GIT_DIR=$1.other/.git" "GIT_WORK_TREE=$1.other" "GIT_INDEX_FILE=$1.other/.git/index" "GIT_PREFIX=src/"; }
check() { ( cd "$1.other" && sha256sum -c --quiet "$1.other.sum" >/dev/null 2>&1 ) || echo "the other repository's index was rewritten"; [ "$(git -C "$1.other" branch | wc -l)" = 1 ] || echo "a branch was made in the other repository"; [ "$(cat "$1.other/a.txt" | tail -1)" = o ] || echo "the other repository's files changed"; }
run "$@"
