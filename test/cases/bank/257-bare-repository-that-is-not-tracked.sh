#!/usr/bin/env bash
# CASE  : 257-bare-repository-that-is-not-tracked
# KIND  : nested   WANT: exact
# SOURCE: git-config(1) safe.bareRepository ; vendored fixtures
# STATE : an untracked folder vendor.git is a bare repository, with hooks and objects of mode 0444, beside an edit
# EXPECT: its files come like any others: there is no .git that would make it somebody else's
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=nested WANT=exact
setup() { base "$1"; git init -q --bare --template= vendor.git; mkdir -p vendor.git/hooks; printf '#!/bin/sh\ntouch "$0.ran"\n' >vendor.git/hooks/post-checkout; chmod +x vendor.git/hooks/post-checkout; printf 'blob\n' | git --git-dir=vendor.git hash-object -w --stdin >/dev/null; printf 'e\n' >>a.txt; }
claim() { git --no-optional-locks status --porcelain -uall | grep -q '?? vendor.git/HEAD'; }
check() { [ ! -e "$1/vendor.git/hooks/post-checkout.ran" ] && [ ! -e "$2/vendor.git/hooks/post-checkout.ran" ] || echo "a hook of it ran"; }
run "$@"
