#!/usr/bin/env bash
# CASE  : 024-awkward-names
# KIND  : names   WANT: exact
# SOURCE: https://github.com/cs50/lib50/issues/90 ; https://github.com/rubygems/bundler/pull/2634 ; https://github.com/gfargo/coco/issues/1597
# STATE : untracked and modified tracked files with newline, tab, quote, backslash, leading dash, leading and trailing space, glob characters, ":(top)x", "a -> b"
# EXPECT: every path arrives under its exact name. Needs -z everywhere, "--" before paths, literal pathspecs.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=names WANT=exact
setup() { base "$1"; local n; mkdir t; for n in $'nl\nin' $'tab\tin' 'q"uote' 'back\slash' '-rf' ' lead' 'trail ' '[ab]*?' ':(top)x' 'a -> b' '#hash' '$(id)' "it's"; do printf 'u\n' >"./$n"; printf 't\n' >"t/$n"; done; git add t; git_c commit -q -m t; for n in t/*; do printf 'edited\n' >>"./$n"; done; printf 'e\n' >>'t/ lead'; }
claim() { [ "$(git ls-files -o -z --exclude-standard | tr -cd '\0' | wc -c)" = 13 ] && [ "$(git diff --name-only -z | tr -cd '\0' | wc -c)" = 13 ]; }
run "$@"
