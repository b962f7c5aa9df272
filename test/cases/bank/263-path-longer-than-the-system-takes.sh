#!/usr/bin/env bash
# CASE  : 263-path-longer-than-the-system-takes
# KIND  : paths   WANT: either
# SOURCE: path_resolution(7) PATH_MAX ; node_modules nested by a broken linker
# STATE : an untracked file lies so deep that its path from the top has more than 4,096 bytes: it was made by going down step by step, and git itself cannot list it
# EXPECT: it comes, or is named, or the fork is refused; never silence
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=paths WANT=either CODE='unreadable unsupportedState badFolder carryFailed gitFailed' EXIT='1 3'
setup() { base "$1"; printf 'e\n' >>a.txt; local d i; d=$(printf 'd%.0s' {1..200}); mkdir deep; cd deep; for i in {1..24}; do mkdir $d; cd $d; done; printf 'deep\n' >f; }
claim() { local d; d=$(printf 'd%.0s' {1..200}); [ -d deep/$d/$d/$d ] && [ "$(state 2>/dev/null | head -c 11)" = ' M a.txt;' ] || [ -d deep ]; }
cleanup() { local at; for at in "$1" "$2"; do [ ! -d "$at/deep" ] || (cd "$at" && rm -rf deep); done; }
run "$@"
