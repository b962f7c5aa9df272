#!/usr/bin/env bash
# CASE  : 051-rebase-stopped
# KIND  : state   WANT: refuse
# SOURCE: https://github.com/hotovo/aider-desk/pull/916 ; Orca, "Fork Agent Session…" (disabled for detached worktrees)
# STATE : an interactive rebase stopped with break: HEAD is detached, one edit is pending
# EXPECT: refused with the reason "rebase in progress" (not "detached HEAD" alone); the rebase can be continued afterwards.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=refuse CODE=operationInProgress
setup() { base "$1"; printf 'l\n' >>a.txt; git_c commit -q -am l; GIT_SEQUENCE_EDITOR='printf "break\npick HEAD\n" >' git_c rebase -q -i HEAD~1 >/dev/null 2>&1; printf 'pending\n' >>docs/c.md; }
claim() { [ -d .git/rebase-merge ] && ! git symbolic-ref -q HEAD >/dev/null; }
run "$@"
