#!/usr/bin/env bash
# CASE  : 060-hook-fails
# KIND  : hooks   WANT: either
# SOURCE: https://github.com/superset-sh/superset/issues/4350 ; https://github.com/superset-sh/superset/pull/1384 ; https://github.com/PostHog/posthog/pull/52404 ; https://github.com/stablyai/orca/pull/9347
# STATE : post-checkout exits 1 (husky.sh not installed in a fresh worktree); an edit is pending
# EXPECT: git worktree add returns 1 although the worktree is complete. Either success (with the hook's output as a warning) and exact, or everything is
#         rolled back. A child without the changes, left behind, is wrong. Decide by looking at the result, not at the words of the message.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=hooks WANT=either
setup() { base "$1"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; printf '#!/bin/sh\necho "husky - command not found" >&2\nexit 1\n' >.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; }
claim() { [ -x .git/hooks/post-checkout ]; }
run "$@"
