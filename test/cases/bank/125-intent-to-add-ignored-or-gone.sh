#!/usr/bin/env bash
# CASE  : 125-intent-to-add-ignored-or-gone
# KIND  : index   WANT: report
# SOURCE: git-add(1) -N, -f ; git behaviour, reproduced (ls-files -s prints the empty blob for it, as for a staged empty file)
# STATE : intent-to-add of two ignored paths (git add -N -f .env ignored/plan.md), of a file that was deleted afterwards (gone.txt), and a file really staged empty; a tracked edit
# EXPECT: both ignored files come, still as intent-to-add (plain add -N refuses an ignored path); the empty staged file stays staged; gone.txt has nothing to
#         carry: it is kept as an entry or named in the answer. The check takes gone.txt out of both indexes before they are compared.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=report
setup() { base "$1"; mkdir ignored; printf 'plan\n' >ignored/plan.md; printf 'K=1\n' >.env; git add -N -f .env ignored/plan.md; printf 'gone\n' >gone.txt; git add -N gone.txt; rm gone.txt; : >empty.txt; git add empty.txt; printf 'x\n' >>src/b.txt; }
claim() { [ "$(git --no-optional-locks status --porcelain=v2 | cut -d' ' -f2,9- | tr '\n' ';')" = '.A .env;A. empty.txt;.D gone.txt;.A ignored/plan.md;.M src/b.txt;' ] && git check-ignore -q --no-index .env; }
check() { [ -e "$2/.git" ] || return 0; [ -n "$(git -C "$2" ls-files gone.txt)" ] || left gone.txt intentToAddGone || echo "gone.txt (intent-to-add, deleted) is neither kept nor named"; local d; for d in "$1" "$2"; do git -C "$d" update-index --force-remove gone.txt; done; }
run "$@"
