#!/usr/bin/env bash
# CASE  : 265-child-in-an-ignored-folder-of-its-parent
# KIND  : target   WANT: exact
# SOURCE: git-worktree(1): worktrees kept in an ignored folder, as .worktrees/
# STATE : the child is to lie in the parent's folder ignored/, which holds other ignored files; the parent has an edit and a new file
# EXPECT: the child is the parent, and does not hold itself
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=target WANT=exact CHILD_IN=ignored/child
setup() { base "$1"; mkdir ignored; printf 'i\n' >ignored/i; printf 'e\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { [ "$(state)" = ' M a.txt;?? n.txt;' ]; }
run "$@"
