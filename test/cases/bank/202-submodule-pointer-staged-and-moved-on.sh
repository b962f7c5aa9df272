#!/usr/bin/env bash
# CASE  : 202-submodule-pointer-staged-and-moved-on
# KIND  : nested   WANT: exact
# SOURCE: gitsubmodules(7) ; combines 140 and 078
# STATE : a checked-out submodule: one new commit is staged as the pointer, the submodule has gone on to a second one; the superproject has a staged and an unstaged edit
# EXPECT: the child's index has the staged pointer, not the second commit; the edits come; the submodule is checked out at the second commit, as in the parent.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=nested WANT=exact
setup() { base "$1.sub"; base "$1"; git -c protocol.file.allow=always submodule --quiet add "$1.sub" sub 2>/dev/null; git_c commit -q -m s; (cd sub && printf '1\n' >>a.txt && git_c commit -q -am 1); git add sub; (cd sub && printf '2\n' >>a.txt && git_c commit -q -am 2); printf 's\n' >>docs/c.md; git add docs/c.md; printf 'x\n' >>a.txt; }
claim() { git --no-optional-locks status --porcelain=v2 | grep -q '^1 MM SC\.\. .* sub$' && [ "$(git -C sub rev-parse HEAD~1)" = "$(git rev-parse :sub)" ]; }
check() { [ -e "$2/.git" ] || return 0; [ "$(git -C "$2" rev-parse :sub)" = "$(git -C "$1" rev-parse :sub)" ] || echo "the staged pointer did not come"; [ "$(git -C "$2/sub" rev-parse HEAD)" = "$(git -C "$1/sub" rev-parse HEAD)" ] || echo "sub is at another commit"; }
run "$@"
