#!/usr/bin/env bash
# CASE  : 044-skip-worktree-edit
# KIND  : index-flags   WANT: either
# SOURCE: https://github.com/nvie/git-toolbelt/issues/28 ; https://github.com/desktop/desktop/issues/19911 ; git-update-index(1) skip-worktree
# STATE : a.txt has the skip-worktree bit and a local edit (the usual "my local config" trick); another file is edited normally
# EXPECT: git status shows nothing for a.txt. Either the edit is carried, or the reply names the file as not carried. Not silence.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index-flags WANT=either
setup() { base "$1"; git update-index --skip-worktree a.txt; printf 'local only\n' >a.txt; printf 'x\n' >>src/b.txt; }
claim() { [ "$(git status --porcelain)" = ' M src/b.txt' ] && git ls-files -v | grep -q '^S a.txt'; }
run "$@"
