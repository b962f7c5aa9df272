#!/usr/bin/env bash
# CASE  : 234-hook-that-forbids-branches
# KIND  : hooks   WANT: either   CODE=createFailed EXIT='1 3'
# SOURCE: githooks(5) reference-transaction ; https://github.com/PostHog/posthog/pull/52404 ; combines 060 and 058
# STATE : reference-transaction refuses every change of refs/heads, post-index-change and post-checkout leave marks; changes are pending
# EXPECT: exact (hooks off), or refused with nothing left; no half of it. In the parent no other hook runs.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=hooks WANT=either CODE=createFailed EXIT='1 3'
setup() { base "$1"; printf 'v2\n' >a.txt; git add a.txt; printf 'v3\n' >>a.txt; printf 'n\n' >n.txt; printf '#!/bin/sh\n[ "$1" = prepared ] && grep -q refs/heads/ && exit 1\nexit 0\n' >.git/hooks/reference-transaction; printf '#!/bin/sh\nprintf "%%s\\n" "$PWD" >>"%s.ran"\n' "$1" >.git/hooks/post-index-change; chmod +x .git/hooks/*; }
claim() { ! git branch probe 2>/dev/null && [ ! -e "$1.ran" ]; }
check() { [ ! -e "$1.ran" ] || ! grep -qx "$1" "$1.ran" || echo "post-index-change ran in the parent"; }
run "$@"
