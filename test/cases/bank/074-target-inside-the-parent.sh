#!/usr/bin/env bash
# CASE  : 074-target-inside-the-parent
# KIND  : target   WANT: exact   CHILD_IN: .worktrees/child
# SOURCE: https://github.com/msupply-foundation/open-msupply/issues/10676 ; https://github.com/anthropics/claude-code/issues/73791 ; https://github.com/KumarLabJax/JABS-behavior-classifier/pull/470
# STATE : worktrees are kept under PARENT/.worktrees/, not ignored; the child is made there
# EXPECT: the child does not contain itself (list the untracked files before the child exists, or leave out registered worktrees); everything else exact.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=target WANT=exact CHILD_IN='.worktrees/child'
setup() { base "$1"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { ! git check-ignore -q .worktrees; }
check() { [ ! -e "$2/.worktrees" ] || echo "the child was copied into itself"; }
run "$@"
