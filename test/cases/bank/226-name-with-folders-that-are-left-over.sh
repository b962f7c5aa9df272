#!/usr/bin/env bash
# CASE  : 226-name-with-folders-that-are-left-over
# KIND  : branch   WANT: exact   BRANCH='feat/deep/ä'
# SOURCE: git-check-ref-format(1) ; https://github.com/openai/codex/issues/42708 ; combines 067 and 027
# STATE : refs/heads/feat/deep exists as an empty folder, logs/refs/heads/feat too; a branch feat-x exists; the wanted name has two slashes and a letter that is not ASCII
# EXPECT: exact; the empty folders are no conflict.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=branch WANT=exact BRANCH='feat/deep/ä'
setup() { base "$1"; git branch feat-x; mkdir -p .git/refs/heads/feat/deep .git/logs/refs/heads/feat; printf 'x\n' >>a.txt; printf 'ü\n' >ü.txt; }
claim() { [ -d .git/refs/heads/feat/deep ] && git check-ref-format --branch 'feat/deep/ä' >/dev/null; }
run "$@"
