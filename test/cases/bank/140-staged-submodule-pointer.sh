#!/usr/bin/env bash
# CASE  : 140-staged-submodule-pointer
# KIND  : nested   WANT: exact
# SOURCE: gitsubmodules(7), gitmodules(5) ; git-stash(1) (leaves submodules alone) ; git behaviour, reproduced
# STATE : a submodule that is not checked out has a new pointer in the index (staged only), .gitmodules is staged with a new line; a tracked edit
# EXPECT: exact: the child's index has the new pointer and the staged .gitmodules, libs/inner is an empty folder there too. A staged pointer is an index entry
#         like any other; nothing is fetched or cloned.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=nested WANT=exact
setup() { base "$1"; printf '[submodule "libs/inner"]\n\tpath = libs/inner\n\turl = ../inner.git\n' >.gitmodules; mkdir -p libs/inner; git add .gitmodules; git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,libs/inner; git_c commit -q -m s; git update-index --cacheinfo 160000,2222222222222222222222222222222222222222,libs/inner; git config -f .gitmodules submodule.libs/inner.branch main; git add .gitmodules; printf 'x\n' >>a.txt; }
claim() { git --no-optional-locks status --porcelain=v2 | grep -q '^1 M\. S\.\.\. .* libs/inner$' && [ -z "$(ls -A libs/inner)" ]; }
check() { [ -e "$2/.git" ] || return 0; git -C "$2" ls-files -s libs/inner | grep -q '^160000 2222222222' || echo "the staged pointer did not come: $(git -C "$2" ls-files -s libs/inner)"; }
run "$@"
