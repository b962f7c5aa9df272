#!/usr/bin/env bash
# CASE  : 216-held-lock-and-a-monitor-that-lies
# KIND  : state   WANT: exact
# SOURCE: https://github.com/thefrederiksen/devthrottle/issues/2872 ; githooks(5) fsmonitor-watchman ; combines 057 and 132
# STATE : index.lock is held, core.fsmonitor is a program that leaves a mark and says that nothing changed, the untracked cache is on; an edit, a staged new file, an untracked one
# EXPECT: exact, the program does not run, the lock stays.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=state WANT=exact
setup() { base "$1"; git config core.untrackedCache true; git update-index --untracked-cache 2>/dev/null; git status >/dev/null; printf 'x\n' >>a.txt; printf 's\n' >s.txt; git add s.txt; printf 'n\n' >n.txt; printf '#!/bin/sh\n: >"%s.monitor"\nprintf "token\\0"\n' "$1" >.git/monitor; chmod +x .git/monitor; git config core.fsmonitor "$1/.git/monitor"; git config core.fsmonitorHookVersion 2; : >.git/index.lock; }
claim() { [ -f .git/index.lock ] && [ "$(git --no-optional-locks -c core.fsmonitor=false status --porcelain | tr '\n' ';')" = ' M a.txt;A  s.txt;?? n.txt;' ] && [ ! -e "$1.monitor" ]; }
check() { [ -f "$1/.git/index.lock" ] || echo "the lock was removed"; [ ! -e "$1.monitor" ] || echo "the monitor program ran"; }
run "$@"
