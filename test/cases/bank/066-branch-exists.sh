#!/usr/bin/env bash
# CASE  : 066-branch-exists
# KIND  : branch   WANT: refuse   BRANCH: taken
# SOURCE: https://github.com/ThePrimeagen/git-worktree.nvim/issues/83
# STATE : branch "taken" exists at an older commit
# EXPECT: refused; "taken" still points where it did (a rollback that runs branch -D would destroy it).
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=branch WANT=refuse BRANCH='taken' CODE=nameTaken
setup() { base "$1"; git branch taken; printf 'l\n' >>a.txt; git_c commit -q -am l; printf 'x\n' >>a.txt; }
claim() { [ "$(git rev-parse taken)" != "$(git rev-parse HEAD)" ]; }
check() { [ "$(git -C "$1" rev-parse -q --verify taken)" = "$(git -C "$1" rev-parse HEAD~1)" ] || echo "branch taken moved or vanished"; }
run "$@"
