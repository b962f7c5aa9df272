#!/usr/bin/env bash
# CASE  : 214-exec-bit-staged-and-taken-back-on-disk
# KIND  : mode   WANT: exact
# SOURCE: git-update-index(1) --chmod ; combines 002 and 013
# STATE : a.txt: the exec bit is staged only, the disk says 0644, the content is edited; run.sh: its loss is staged, the disk says 0755; docs/c.md: bit staged and on disk, content staged in one version and on disk in another
# EXPECT: index and disk each as in the parent.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=mode WANT=exact
setup() { base "$1"; git update-index --chmod=+x a.txt; printf 'x\n' >>a.txt; git update-index --chmod=-x run.sh; printf 'v2\n' >docs/c.md; chmod +x docs/c.md; git add docs/c.md; printf 'v3 longer\n' >docs/c.md; }
claim() { [ "$(state)" = 'MM a.txt;MM docs/c.md;MM run.sh;' ] && [ ! -x a.txt ] && [ -x run.sh ]; }
run "$@"
