#!/usr/bin/env bash
# CASE  : 090-target-on-another-filesystem
# KIND  : target   WANT: exact   NEEDS: mount   TARGET
# SOURCE: git-worktree(1) ; https://github.com/manaflow-ai/cmux/issues/5941
# STATE : the child is on a tmpfs, the parent on disk
# EXPECT: exact: no rename, hard link or reflink across devices is assumed.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=target WANT=exact NEEDS='mount'
setup() { base "$1"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; ln -s n.txt ln; }
target() { mkdir -p "${2%/*}"; mount -t tmpfs -o size=8m tmpfs "${2%/*}"; }
claim() { :; }
cleanup() { umount "${2%/*}"; }
run "$@"
