#!/usr/bin/env bash
# CASE  : 063-shared-core-worktree
# KIND  : config   WANT: refuse
# SOURCE: https://github.com/anthropics/claude-code/issues/78486 ; https://github.com/sipyourdrink-ltd/bernstein/pull/3022 ; git-worktree(1) CONFIGURATION FILE
# STATE : extensions.worktreeConfig=true and core.worktree=<parent> in the shared config: every linked worktree resolves to the PARENT
# EXPECT: refused. "git -C CHILD stash apply" or "git -C CHILD reset" acts on the parent's files: check that the child's --show-toplevel is the child
#         before the first write. Measured: "git -C CHILD reset --hard" (a usual roll-back) throws away the parent's edits and "clean -fd" its new files.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=config WANT=refuse CODE=notItself EXIT='1 3'
setup() { base "$1"; git config extensions.worktreeConfig true; git config core.worktree "$1"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { git worktree add -q -b probe ../probe-063 HEAD 2>/dev/null; local t; t=$(git -C ../probe-063 rev-parse --show-toplevel); git worktree remove --force ../probe-063 2>/dev/null; rm -rf ../probe-063; git worktree prune; git branch -q -D probe; [ "$t" = "$PWD" ]; }
run "$@"
