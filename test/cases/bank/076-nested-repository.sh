#!/usr/bin/env bash
# CASE  : 076-nested-repository
# KIND  : nested   WANT: either
# SOURCE: https://github.com/am-will/gooey-pi/pull/227 (status prints "embed/") ; https://github.com/specula-org/Specula/pull/141 ; Orca, "Fork Agent Session…" (nested repos)
# STATE : an untracked directory vendor/lib is a clone with a commit of its own and an uncommitted edit
# EXPECT: refused naming vendor/lib, or left out and named, or carried whole with its .git. git lists it as one entry with a trailing slash;
#         an empty directory, or files without .git, is wrong.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=nested WANT=either CODE=unsupportedState
setup() { base "$1"; mkdir vendor; base vendor/lib; printf 'vx\n' >>a.txt; cd "$1"; printf 'n\n' >n.txt; printf 'x\n' >>a.txt; }
check() { [ -e "$2/.git" ] || return 0; [ -e "$2/vendor/lib/.git" ] || left vendor/lib nestedRepository || echo "vendor/lib is neither carried nor named"; }
claim() { git ls-files -o --exclude-standard | grep -q '^vendor/lib/$'; }
run "$@"
