#!/usr/bin/env bash
# CASE  : 227-target-is-a-link
# KIND  : target   WANT: either   CODE='folderTaken badFolder'
# SOURCE: git-worktree(1) ; https://github.com/vippsas/manifold/issues/543 ; combines 071 and 016
# STATE : the target is a link to an empty folder elsewhere
# EXPECT: refused, link and folder as they were; or the child is made, through the link, and known by its true path. After a refusal nothing is in the folder.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=target WANT=either CODE='folderTaken badFolder'
setup() { base "$1"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
target() { mkdir -p "${2%/*}/elsewhere"; ln -s elsewhere "$2"; }
claim() { [ "$(state)" = ' M a.txt;?? n.txt;' ]; }
check() { [ -L "$2" ] || echo "the link is gone"; }
run "$@"
