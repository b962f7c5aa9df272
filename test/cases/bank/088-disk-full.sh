#!/usr/bin/env bash
# CASE  : 088-disk-full
# KIND  : target   WANT: refuse   NEEDS: mount   TARGET
# SOURCE: https://github.com/vippsas/manifold/issues/543 ; https://github.com/max-sixty/worktrunk/issues/4108 ; https://github.com/kbrdn1/gwm-cli/issues/487
# STATE : the target lies on a 512 KiB file system; tracked files fit, the 2 MiB untracked file does not
# EXPECT: an error in the copy after the worktree was made: everything rolled back: directory, branch, worktree entry, and the exact errno is reported.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=target WANT=refuse NEEDS='mount' CODE=noSpace EXIT=1
setup() { base "$1"; printf 'x\n' >>a.txt; head -c 2097152 /dev/zero | tr '\0' z >big.bin; }
target() { mkdir -p "${2%/*}"; mount -t tmpfs -o size=512k tmpfs "${2%/*}"; }
claim() { [ "$(stat -c %s big.bin)" = 2097152 ]; }
cleanup() { umount "${2%/*}"; }
run "$@"
