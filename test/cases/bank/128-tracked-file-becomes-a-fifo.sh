#!/usr/bin/env bash
# CASE  : 128-tracked-file-becomes-a-fifo
# KIND  : special   WANT: either
# SOURCE: https://github.com/isacikgoz/gitbatch/issues/101 ; https://github.com/entireio/cli/pull/2308 (open of a planted FIFO hangs) ; https://github.com/dimileeh/agent-workspace-fabric/pull/907
# STATE : the tracked file a.txt was replaced by a FIFO without a reader or writer (status calls it a plain " M"); another file is edited, a new one exists
# EXPECT: nothing hangs (the driver's time limit): refused naming a.txt, or carried with a.txt named in the answer as left out. lstat first, open with
#         O_NONBLOCK and O_NOFOLLOW. The check takes a.txt away on both sides before they are compared.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=special WANT=either CODE='unsupportedState unreadable'
setup() { base "$1"; rm a.txt; mkfifo a.txt; printf 'x\n' >>src/b.txt; printf 'n\n' >n.txt; }
claim() { [ -p a.txt ] && [ "$(timeout 10 git --no-optional-locks status --porcelain | tr '\n' ';')" = ' M a.txt; M src/b.txt;?? n.txt;' ]; }
check() { [ -e "$2/.git" ] || return 0; [ -p "$1/a.txt" ] || echo "the FIFO in the parent is gone"; [ -p "$2/a.txt" ] || left a.txt specialFile || echo "a.txt is not named"; rm -f "$1/a.txt" "$2/a.txt"; }
run "$@"
