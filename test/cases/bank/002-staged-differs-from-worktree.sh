#!/usr/bin/env bash
# CASE  : 002-staged-differs-from-worktree
# KIND  : index   WANT: exact
# SOURCE: https://github.com/fork-dev/Tracker/issues/878 ; https://github.com/max-sixty/worktrunk/issues/938
# STATE : MM - index has one version of a.txt, the worktree another
# EXPECT: worktree bytes of the child equal the parent's (the later version). If staging is claimed to be kept, the index blob must be
#         the first version; if not, that is said, never mixed up.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; printf 'staged\n' >a.txt; git add a.txt; printf 'worktree\n' >a.txt; }
claim() { [ "$(git status --porcelain)" = 'MM a.txt' ]; }
run "$@"
