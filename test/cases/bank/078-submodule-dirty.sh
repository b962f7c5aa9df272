#!/usr/bin/env bash
# CASE  : 078-submodule-dirty
# KIND  : nested   WANT: report
# SOURCE: https://github.com/gsd-build/gsd-2/issues/4856 ; https://github.com/pingdotgg/t3code/issues/7672 ; Orca, "Fork Agent Session…" (submodule pointer changes are not carried)
# STATE : a submodule with a moved pointer (new commit), an uncommitted edit and an untracked file; an edit in the superproject
# EXPECT: superproject's edit is carried; the reply names the submodule as not carried (pointer, edit, untracked). No error, no half-moved pointer, and the
#         parent's submodule stays as it is.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=nested WANT=report
setup() { base "$1.sub"; base "$1"; git -c protocol.file.allow=always submodule --quiet add "$1.sub" sub 2>/dev/null; git_c commit -q -m s; cd sub; git config user.name T; git config user.email t@example.invalid; printf 'c\n' >>a.txt; git_c commit -q -am c; printf 'e\n' >>docs/c.md; printf 'u\n' >u.txt; cd ..; printf 'x\n' >>a.txt; }
check() { [ -e "$2/.git" ] || return 0; [ -e "$2/sub/u.txt" ] || left sub submodule || echo "sub is neither carried nor named"; }
claim() { git status --porcelain=v2 | grep -q 'SCMU.*sub$'; }
run "$@"
