#!/usr/bin/env bash
# CASE  : 238-repository-in-a-tracked-folder
# KIND  : nested   WANT: report
# SOURCE: git behaviour, reproduced (status says nothing of it) ; https://github.com/am-will/gooey-pi/pull/227 ; combines 076 and 002
# STATE : git init was run in the tracked folder src/, with a commit there; src/b.txt is staged and edited in the outer repository, src/new.txt is new in both
# EXPECT: the outer changes come; src/.git does not come silently lost: it is named.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=nested WANT=report
setup() { base "$1"; printf 'v2\n' >src/b.txt; git add src/b.txt; printf 'v3\n' >>src/b.txt; (cd src && git init -q -b inner . && printf 'k\n' >k.txt && git_c add k.txt && git_c commit -q -m inner); printf 'n\n' >src/new.txt; }
claim() { git --no-optional-locks status --porcelain | grep -q '^MM src/b.txt' && [ -d src/.git ]; }
check() { [ -e "$2/.git" ] || return 0; [ -e "$2/src/.git" ] || left src/.git nestedRepository || left src nestedRepository || echo "the repository in src/ is neither carried nor named"; cmp -s "$1/src/b.txt" "$2/src/b.txt" || echo "src/b.txt did not come"; [ "$(git -C "$2" rev-parse :src/b.txt)" = "$(git -C "$1" rev-parse :src/b.txt)" ] || echo "the staged version did not come"; }
run "$@"
