#!/usr/bin/env bash
# CASE  : 219-filemode-off-and-exec-bits
# KIND  : mode   WANT: exact
# SOURCE: git-config(1) core.fileMode ; combines 013 and 015
# STATE : core.fileMode=false; tracked files have other exec bits on disk than in the index (status says nothing), one bit is staged by update-index; an untracked script is 0755, a secret 0600
# EXPECT: the index as in the parent, the untracked modes exact. Exec bits of tracked files on disk mean nothing here.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=mode WANT=exact
setup() { base "$1"; git config core.fileMode false; chmod +x a.txt; chmod -x run.sh; git update-index --chmod=+x docs/c.md; printf '#!/bin/sh\n' >tool; chmod 755 tool; printf 'k\n' >key; chmod 600 key; }
claim() { [ "$(state)" = 'M  docs/c.md;?? key;?? tool;' ] && [ -x a.txt ]; }
run "$@"
