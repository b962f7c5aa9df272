#!/usr/bin/env bash
# CASE  : 237-tracked-file-becomes-a-repository
# KIND  : nested   WANT: report
# SOURCE: https://github.com/specula-org/Specula/pull/141 ; combines 010 and 076
# STATE : a.txt was replaced by a folder that is a repository of its own with a commit (status calls it a type change, as if it were a submodule); another file is edited
# EXPECT: a.txt is gone as a file in the child, the repository is named (or carried whole).
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=nested WANT=report
setup() { base "$1"; rm a.txt; base a.txt; cd "$1"; printf 'x\n' >>src/b.txt; }
claim() { [ "$(state)" = ' T a.txt; M src/b.txt;' ]; }
check() { [ -e "$2/.git" ] || return 0; [ ! -f "$2/a.txt" ] || echo "a.txt is still a file"; [ -e "$2/a.txt/.git" ] || left a.txt nestedRepository || echo "a.txt/ is neither carried nor named"; }
run "$@"
