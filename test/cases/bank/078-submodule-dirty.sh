#!/usr/bin/env bash
# CASE  : 078-submodule-dirty
# KIND  : nested   WANT: exact
# SOURCE: https://github.com/gsd-build/gsd-2/issues/4856 ; https://github.com/pingdotgg/t3code/issues/7672 ; Orca, "Fork Agent Session…" (submodule pointer changes are not carried)
# STATE : a submodule with a moved pointer (new commit), an uncommitted edit and an untracked file; an edit in the superproject
# EXPECT: exact: the superproject's edit comes, the submodule is checked out in the child at the parent's commit with its edit and untracked file, the index
#         keeps the old pointer, and the parent's submodule stays as it is, its store too.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=nested WANT=exact
setup() { base "$1.sub"; base "$1"; git -c protocol.file.allow=always submodule --quiet add "$1.sub" sub 2>/dev/null; git_c commit -q -m s; cd sub; git config user.name T; git config user.email t@example.invalid; printf 'c\n' >>a.txt; git_c commit -q -am c; printf 'e\n' >>docs/c.md; printf 'u\n' >u.txt; cd ..; printf 'x\n' >>a.txt; }
check() { [ -e "$2/.git" ] || return 0; [ -e "$2/sub/u.txt" ] || echo "sub was not carried"; }
claim() { git status --porcelain=v2 | grep -q 'SCMU.*sub$'; }
run "$@"
