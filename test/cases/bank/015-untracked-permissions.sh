#!/usr/bin/env bash
# CASE  : 015-untracked-permissions
# KIND  : mode   WANT: exact
# SOURCE: https://github.com/openclaw/openclaw/pull/150532 (matching bytes and modes) ; cp(1)
# STATE : untracked files 0600 (a secret), 0755 (a script), 0444 (read-only), inside a 0700 directory
# EXPECT: permission bits kept whatever the umask is; a 0600 secret must never become 0644, not even for a moment.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=mode WANT=exact
setup() { base "$1"; umask 022; mkdir -m 700 private; printf 'k\n' >private/key; chmod 600 private/key; printf '#!/bin/sh\n' >tool; chmod 755 tool; printf 'ro\n' >ro.txt; chmod 444 ro.txt; }
claim() { [ "$(stat -c %a private/key tool ro.txt | tr '\n' ' ')" = '600 755 444 ' ]; }
check() { [ "$(stat -c %a "$2/private" 2>/dev/null)" = 700 ] || echo "directory private/ is $(stat -c %a "$2/private" 2>/dev/null), parent 700"; }
run "$@"
