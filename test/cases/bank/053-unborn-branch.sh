#!/usr/bin/env bash
# CASE  : 053-unborn-branch
# KIND  : state   WANT: refuse
# SOURCE: https://github.com/openai/codex/issues/42708 ; https://github.com/pingdotgg/t3code/pull/4183 ; https://github.com/gsd-build/gsd-2/issues/2482
# STATE : git init, files on disk, nothing committed
# EXPECT: refused: "no commits yet"; no orphan branch or directory is left.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=refuse CODE=unborn
setup() { git init -q -b main "$1"; cd "$1"; printf 'x\n' >x.txt; }
claim() { ! git rev-parse -q --verify HEAD >/dev/null; }
run "$@"
