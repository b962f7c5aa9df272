#!/usr/bin/env bash
# CASE  : 058-commit-lands-in-the-middle
# KIND  : concurrency   WANT: either
# SOURCE: Orca, "Fork Agent Session…" (a concurrent commit in the parent is refused) ; https://github.com/omartelo/lich/pull/616 ; https://github.com/anthony-chaudhary/fak/issues/2320
# STATE : while the new worktree is being made, the agent commits its edit in the parent (simulated by a post-checkout hook, once)
# EXPECT: refused and rolled back ("the parent moved"), or a child that shows one state of the parent: old HEAD + the edits, or new HEAD without. Never old HEAD
#         with the edits missing. If hooks are disabled by the tool, nothing happens and the result must be exact.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=concurrency WANT=either CODE='parentMoved parentChanging' EXIT='1 3'
setup() { base "$1"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; cat >.git/hooks/post-checkout <<E
#!/bin/sh
[ -e "$1/.git/fired" ] && exit 0; : >"$1/.git/fired"
unset \$(git rev-parse --local-env-vars); cd "$1" && git -c core.hooksPath=/dev/null commit -q -am agent
E
chmod +x .git/hooks/post-checkout; }
claim() { [ -x .git/hooks/post-checkout ] && [ "$(git rev-list --count HEAD)" = 1 ]; }
consistent() { # old HEAD with the edit, or new HEAD without
  [ ! -d "$2" ] || grep -q '^x$' "$2/a.txt" || echo "the edit to a.txt is neither committed nor uncommitted in the child"; }
check() { consistent "$1" "$2"; }
run "$@"
