#!/usr/bin/env bash
# CASE  : 052-detached-head
# KIND  : state   WANT: either
# SOURCE: Orca, "Fork Agent Session…" (menu disabled for detached worktrees) ; https://github.com/mengsig/dockmaster/issues/189
# STATE : HEAD detached at the first of two commits, with an edit
# EXPECT: refused with that reason, or the child starts at the exact detached commit. Never at a branch tip.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=either CODE=detached
setup() { base "$1"; printf 'l\n' >>a.txt; git_c commit -q -am l; git checkout -q --detach HEAD~1; printf 'e\n' >>docs/c.md; }
claim() { ! git symbolic-ref -q HEAD >/dev/null; }
check() { [ ! -d "$2" ] || [ "$(git -C "$2" rev-parse HEAD)" = "$(git -C "$1" rev-parse HEAD)" ] || echo "child is not at the parent's HEAD commit"; }
run "$@"
