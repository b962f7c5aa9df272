#!/usr/bin/env bash
# CASE  : 242-secret-that-is-tracked
# KIND  : mode   WANT: exact
# SOURCE: open(2) ; https://github.com/northguild/worktree/pull/54 ; combines 015 and 002
# STATE : a tracked file of mode 0600 holds a new secret; another is staged and edited at 0640; umask 022
# EXPECT: exact, and the child's copies are not readable for more people than the parent's.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=mode WANT=exact
setup() { base "$1"; umask 022; printf 'k\n' >key; printf 'm\n' >mid; git add .; git_c commit -q -m k; chmod 600 key; printf 'new secret\n' >key; chmod 640 mid; printf 'v2\n' >mid; git add mid; printf 'v3\n' >>mid; }
claim() { [ "$(state)" = ' M key;MM mid;' ] && [ "$(stat -c %a key)" = 600 ]; }
check() { [ -e "$2/.git" ] || return 0; local f; for f in key mid; do [ "$(stat -c %a "$2/$f")" = "$(stat -c %a "$1/$f")" ] || echo "$f is $(stat -c %a "$2/$f"), parent $(stat -c %a "$1/$f")"; done; }
run "$@"
