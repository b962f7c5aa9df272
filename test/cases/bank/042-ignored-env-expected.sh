#!/usr/bin/env bash
# CASE  : 042-ignored-env-expected
# KIND  : ignore   WANT: report
# SOURCE: https://github.com/kunchenguid/treehouse/issues/43 ; https://github.com/pingdotgg/t3code/pull/3887 ; https://github.com/northguild/worktree/pull/54
# STATE : .env and node_modules-like ignored/ exist beside an edit
# EXPECT: ignored files are not part of uncommitted changes: not carried by default, and the reply or the documentation says so (a count of ignored
#         files is enough). They must not be deleted or moved either.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=ignore WANT=report
setup() { base "$1"; printf 'KEY=1\n' >.env; mkdir ignored; printf 'm\n' >ignored/m.js; printf 'x\n' >>a.txt; }
claim() { [ "$(git status --porcelain)" = ' M a.txt' ] && [ -f .env ]; }
check() { [ ! -e "$2/ignored/m.js" ] || echo "copied ignored/"; local f; for f in .env ignored; do [ -e "$1/$f" ] || echo "$f is gone in the parent"; left "$f" ignored || echo "$f is not named as left"; done; }
run "$@"
