#!/usr/bin/env bash
# CASE  : 126-hidden-edits-come-and-bits-stay
# KIND  : index-flags   WANT: exact
# SOURCE: https://github.com/nvie/git-toolbelt/issues/28 ; https://github.com/desktop/desktop/issues/19911 ; git-update-index(1)
# STATE : a.txt: skip-worktree and edited; docs/c.md: staged in one version, assume-unchanged, edited again; run.sh: both bits, edited; src/b.txt edited in the open
# EXPECT: all four edits come, the staged version of docs/c.md too, and the bits are set in the child as in the parent (index-info drops them). The parent's own
#         bits stay.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index-flags WANT=exact
setup() { base "$1"; git update-index --skip-worktree a.txt; printf 'local only\n' >a.txt; printf 'v2\n' >docs/c.md; git add docs/c.md; git update-index --assume-unchanged docs/c.md; printf 'v3\n' >docs/c.md; git update-index --skip-worktree run.sh; git update-index --assume-unchanged run.sh; printf '#!/bin/sh\necho mine\n' >run.sh; printf 'x\n' >>src/b.txt; }
claim() { [ "$(git --no-optional-locks status --porcelain | tr '\n' ';')" = 'M  docs/c.md; M src/b.txt;' ] && [ "$(git ls-files -v | grep -v '^H' | tr '\n' ';')" = 'S a.txt;h docs/c.md;s run.sh;' ] && grep -q v3 docs/c.md; }
check() { [ -e "$2/.git" ] || return 0; [ "$(git -C "$2" ls-files -v | grep -v '^H' | tr '\n' ';')" = 'S a.txt;h docs/c.md;s run.sh;' ] || echo "bits in the child: $(git -C "$2" ls-files -v | grep -v '^H' | tr '\n' ' ')"; }
run "$@"
