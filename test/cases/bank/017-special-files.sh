#!/usr/bin/env bash
# CASE  : 017-special-files
# KIND  : special   WANT: exact
# SOURCE: https://github.com/magic-wormhole/magic-wormhole/issues/363 ; https://github.com/isacikgoz/gitbatch/issues/101
# STATE : an untracked directory holds a normal file, a FIFO and a socket (dev servers leave them)
# EXPECT: the normal file arrives, FIFO and socket are left out (git itself does not list them), nothing hangs: no open() of a FIFO.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=special WANT=exact
setup() { base "$1"; mkdir run; printf 'pid\n' >run/server.pid; mkfifo run/ctl; chmod 700 run; git credential-cache--daemon "$PWD/run/sock" >run/ready & local d=$!; until [ -s run/ready ]; do kill -0 $d || break; done; kill -9 $d; wait $d; rm run/ready; } 2>/dev/null
claim() { [ -p run/ctl ] && [ -S run/sock ] && [ "$(git ls-files -o --exclude-standard)" = run/server.pid ]; }
run "$@"
