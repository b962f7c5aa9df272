#!/usr/bin/env bash
# CASE  : 023-many-untracked-files
# KIND  : size   WANT: exact
# SOURCE: https://github.com/openclaw/openclaw/issues/150531 (listing over 16 MiB breaks the tool)
# STATE : 6,000 untracked files in 60 directories with 120-byte names: the list is longer than one command line (ARG_MAX) and than small pipe buffers
# EXPECT: all 6,000 arrive; both pipes of a child git are drained at once.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=size WANT=exact
setup() { base "$1"; local p; p=$(printf 'n%.0s' {1..110}); for d in {1..60}; do mkdir -p "gen/$d"; ( cd "gen/$d" && for f in {1..100}; do printf '%s\n' "$d/$f" >"$p-$f"; done ); done; }
claim() { [ "$(git ls-files -o --exclude-standard | wc -l)" = 6000 ]; }
run "$@"
