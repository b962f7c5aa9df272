#!/usr/bin/env bash
# CASE  : 038-required-filter-missing
# KIND  : filter   WANT: refuse
# SOURCE: https://github.com/PostHog/code/issues/1729 (worktree creation fails without git-lfs) ; https://github.com/devsy-org/devsy/pull/823
# STATE : filter.lfs.required=true with a filter program that is not installed; a tracked *.bin goes through it
# EXPECT: git worktree add fails in the checkout. The tool reports the missing filter and leaves no directory, no branch, no worktree entry.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=filter WANT=refuse CODE='gitFailed createFailed unsupportedState' EXIT='1 3'
setup() { base "$1"; printf '*.bin filter=lfs\n' >.gitattributes; printf 'data\n' >x.bin; git add .; git_c commit -q -m f; git config filter.lfs.smudge 'git-lfs-not-here smudge -- %f'; git config filter.lfs.clean 'git-lfs-not-here clean -- %f'; git config filter.lfs.required true; printf 'x\n' >>a.txt; }
claim() { ! ( git -C "$PWD" worktree add -q -b probe ../probe-038 HEAD ) 2>/dev/null; git worktree remove --force ../probe-038 2>/dev/null; git worktree prune; rm -rf ../probe-038; git branch -q -D probe 2>/dev/null; :; }
run "$@"
