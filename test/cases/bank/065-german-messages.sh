#!/usr/bin/env bash
# CASE  : 065-german-messages
# KIND  : environment   WANT: refuse   ENV   BRANCH: taken
# SOURCE: https://github.com/mattpocock/sandcastle/issues/595 ; https://github.com/appandflow/stim/issues/209 ; https://github.com/anomalyco/opencode/pull/40606 ; https://github.com/astral-sh/uv/pull/13637
# STATE : LANGUAGE=de; the wanted branch name exists
# EXPECT: refused with the stable code for "branch exists", the same as in English: children run with LC_ALL=C (or no message is parsed at all).
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=environment WANT=refuse BRANCH='taken' CODE=nameTaken
setup() { base "$1"; git branch taken; printf 'x\n' >>a.txt; }
claim() { git show-ref -q --verify refs/heads/taken; }
env_for() { printf '%s\n' LC_ALL=C.UTF-8 LANGUAGE=de LANG=de_DE.UTF-8; }
run "$@"
