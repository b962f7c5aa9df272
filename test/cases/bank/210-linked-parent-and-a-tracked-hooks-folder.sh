#!/usr/bin/env bash
# CASE  : 210-linked-parent-and-a-tracked-hooks-folder
# KIND  : hooks   WANT: exact
# SOURCE: https://github.com/j178/prek/issues/2505 ; https://github.com/superset-sh/superset/issues/4350 ; combines 056 and 062
# STATE : the parent is a linked worktree; core.hooksPath=.husky is relative and the folder is tracked: its committed post-checkout succeeds, in the parent it was edited so that it fails and leaves a mark beside it
# EXPECT: exact; no hook runs in the parent. Run in the child, it is the child's own copy that runs, after the carry was proved; that it failed is a warning. The check takes the mark away.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=hooks WANT=exact
setup() { base "$1.main"; mkdir .husky; printf '#!/bin/sh\nexit 0\n' >.husky/post-checkout; chmod 755 .husky/post-checkout; git add .; git_c commit -q -m h; git worktree add -q -b feat "$1" 2>/dev/null; git config core.hooksPath .husky; cd "$1"; printf '#!/bin/sh\npwd >>hook-mark.txt\nexit 1\n' >.husky/post-checkout; printf 'n\n' >n.txt; }
claim() { [ -f .git ] && [ "$(state)" = ' M .husky/post-checkout;?? n.txt;' ]; }
check() { [ ! -e "$1/hook-mark.txt" ] || echo "the hook ran in the parent"; [ -e "$2/.git" ] || return 0; [ ! -e "$2/hook-mark.txt" ] || { said hook || echo "no warning though the hook failed"; rm -f "$2/hook-mark.txt"; }; }
run "$@"
