#!/usr/bin/env bash
# CASE  : 138-show-stash-and-branch-headers
# KIND  : config   WANT: exact
# SOURCE: git-status(1) --show-stash, porcelain v2 headers ; git-config(1) status.showStash, status.branch
# STATE : status.showStash and status.branch are on, two stash entries exist: porcelain v2 begins with # lines, also with -z; untracked files are called "# stash 2" and "1 .M N... x", one file is staged and edited again
# EXPECT: exact, and the stash list stays as it is (it is shared by all worktrees). Header lines are skipped, the file names that look like them are not.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=config WANT=exact
setup() { base "$1"; local i; for i in 1 2; do printf 'stash %s\n' $i >a.txt; git_c stash push -q -m "s$i"; done; git config status.showStash true; git config status.branch true; printf 'v2\n' >a.txt; git add a.txt; printf 'v3\n' >a.txt; printf 'h\n' >'# stash 2'; printf 'l\n' >'1 .M N... x'; }
claim() { [ "$(git --no-optional-locks status --porcelain=v2 -z -uall | tr '\0' '\n' | grep -c '^# stash 2$')" = 1 ] && [ "$(git stash list | wc -l)" = 2 ] && [ "$(git --no-optional-locks status --porcelain a.txt | tail -1)" = 'MM a.txt' ]; }
run "$@"
