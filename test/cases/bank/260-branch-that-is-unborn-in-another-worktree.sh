#!/usr/bin/env bash
# CASE  : 260-branch-that-is-unborn-in-another-worktree
# KIND  : branch   WANT: refuse
# SOURCE: git-worktree(1), git-symbolic-ref(1): HEAD of a linked worktree names a branch that has no commit
# STATE : another worktree is on the unborn branch fork-child
# EXPECT: refused: the child would take its branch away
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=branch WANT=refuse CODE='nameTaken nameConflict'
setup() { base "$1"; git -c core.hooksPath=/dev/null worktree add -q --detach ../other-worktree; git -C ../other-worktree symbolic-ref HEAD refs/heads/fork-child; printf 'e\n' >>a.txt; }
claim() { ! git rev-parse -q --verify refs/heads/fork-child >/dev/null && [ "$(git -C ../other-worktree symbolic-ref HEAD)" = refs/heads/fork-child ]; }
cleanup() { rm -rf "$1/../other-worktree"; }
run "$@"
