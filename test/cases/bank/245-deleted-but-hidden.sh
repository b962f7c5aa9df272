#!/usr/bin/env bash
# CASE  : 245-deleted-but-hidden
# KIND  : index-flags   WANT: exact
# SOURCE: git-update-index(1) ; https://github.com/nvie/git-toolbelt/issues/28 ; combines 007 and 126
# STATE : a.txt has skip-worktree, docs/c.md assume-unchanged, and both were deleted from disk: status is silent; src/b.txt has assume-unchanged and was replaced by a link; run.sh lost its exec bit under skip-worktree
# EXPECT: all of that in the child: absent, absent, a link, no exec bit; bits kept.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index-flags WANT=exact
setup() { base "$1"; git update-index --skip-worktree a.txt run.sh; git update-index --assume-unchanged docs/c.md src/b.txt; rm a.txt docs/c.md src/b.txt; ln -s ../run.sh src/b.txt; chmod -x run.sh; }
claim() { [ -z "$(state)" ] && [ "$(git ls-files -v | cut -c1 | tr -d '\n')" = HShSh ]; }
run "$@"
