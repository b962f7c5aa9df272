#!/usr/bin/env bash
# CASE  : 075-other-worktree-inside-the-parent
# KIND  : nested   WANT: exact
# SOURCE: https://github.com/Digital-Process-Tools/claude-supertool/pull/1553 (a copied .git file writes into the original) ; https://github.com/go-git/go-git/issues/1896
# STATE : another agent's linked worktree lies untracked in PARENT/.claude/worktrees/w1 with its own changes, beside an ordinary untracked file
# EXPECT: w1 is not carried, not even in part; n.txt is. A copied .git file would make the copy write into w1's index.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=nested WANT=exact
setup() { base "$1"; git worktree add -q -b w1 .claude/worktrees/w1; printf 'w1 dirt\n' >>.claude/worktrees/w1/a.txt; printf 'n\n' >n.txt; printf 'x\n' >>a.txt; }
claim() { git status --porcelain -uall | grep -q '.claude/worktrees/w1/'; }
check() { [ ! -e "$2/.claude/worktrees/w1/.git" ] || echo "copied another worktree with its .git file"; }
run "$@"
