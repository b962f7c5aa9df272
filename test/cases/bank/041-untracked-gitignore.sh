#!/usr/bin/env bash
# CASE  : 041-untracked-gitignore
# KIND  : ignore   WANT: exact
# SOURCE: gitignore(5) ; https://github.com/vanillagreencom/kendex/pull/1703
# STATE : a new untracked .gitignore in pkg/ hides pkg/out/; pkg/src is untracked
# EXPECT: pkg/.gitignore and pkg/src arrive, pkg/out/ does not. A copy of whole untracked directories brings the ignored output along.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=ignore WANT=exact
setup() { base "$1"; mkdir -p pkg/out pkg/src; printf 'out/\n' >pkg/.gitignore; printf 'big\n' >pkg/out/o.bin; printf 's\n' >pkg/src/s.c; }
claim() { [ "$(git ls-files -o --exclude-standard | sort | tr '\n' ' ')" = 'pkg/.gitignore pkg/src/s.c ' ]; }
check() { [ ! -e "$2/pkg/out/o.bin" ] || echo "copied an ignored file: pkg/out/o.bin"; }
run "$@"
