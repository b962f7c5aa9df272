#!/usr/bin/env bash
# CASE  : 068-branch-name-is-an-option
# KIND  : branch   WANT: refuse   BRANCH: --force
# SOURCE: https://github.com/akhayam99/goodboy/pull/686 ; git-check-ref-format(1) ; https://github.com/Kilo-Org/kilocode/pull/6246
# STATE : the name typed in the dialog is "--force"
# EXPECT: refused as an invalid name by check-ref-format --branch; it must never reach git as an option. Same for "a..b", "x.lock", "a b", "@", "HEAD", "-", "".
#         Measured with git 2.39: "git worktree add -b --force DIR <oid>" fails, but first makes a branch that is named like the object id.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=branch WANT=refuse BRANCH='--force' CODE=invalidName
setup() { base "$1"; printf 'x\n' >>a.txt; }
claim() { ! git check-ref-format --branch --force >/dev/null 2>&1; }
run "$@"
