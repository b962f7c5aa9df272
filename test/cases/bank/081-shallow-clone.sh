#!/usr/bin/env bash
# CASE  : 081-shallow-clone
# KIND  : format   WANT: exact
# SOURCE: git-clone(1) --depth ; https://github.com/stablyai/orca/issues/7431 (offline)
# STATE : a clone of depth 1 whose origin is gone
# EXPECT: exact without network.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=format WANT=exact
setup() { base "$1.src"; printf 'l\n' >>a.txt; git_c commit -q -am l; git clone -q --depth 1 "file://$1.src" "$1"; rm -rf "$1.src"; cd "$1"; git config user.name T; git config user.email t@e.invalid; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { [ "$(git rev-parse --is-shallow-repository)" = true ]; }
run "$@"
