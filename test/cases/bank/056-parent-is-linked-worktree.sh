#!/usr/bin/env bash
# CASE  : 056-parent-is-linked-worktree
# KIND  : state   WANT: exact
# SOURCE: https://github.com/j178/prek/issues/2505 (things that only break in linked worktrees) ; git-worktree(1)
# STATE : the parent is itself a linked worktree on branch feat, one commit ahead of main; the main checkout has different uncommitted changes
# EXPECT: the child starts at feat's HEAD with this worktree's changes; nothing of the main checkout.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=exact
setup() { base "$1.main"; git worktree add -q -b feat "$1"; printf 'main dirt\n' >>a.txt; printf 'm\n' >only-main.txt; cd "$1"; printf 'f\n' >f.txt; git add f.txt; git_c commit -q -m f; printf 'feat dirt\n' >>a.txt; printf 'u\n' >only-feat.txt; }
claim() { [ -f .git ] && [ "$(git symbolic-ref --short HEAD)" = feat ]; }
run "$@"
