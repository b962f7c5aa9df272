#!/usr/bin/env bash
# CASE  : 248-hook-that-writes-later-from-the-background
# KIND  : hooks   WANT: exact
# SOURCE: githooks(5) post-checkout ; a hook that starts a watcher or an installer and returns
# STATE : post-checkout leaves a job behind that waits and then adds a line to a.txt and writes late.txt; the parent has an edit of a.txt and a new file
# EXPECT: the fork does not wait for the job, whose output it holds open; the child has the parent's bytes, and what the job does stands on top; the parent stays. The check waits for it and takes it away.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=hooks WANT=exact
setup() { base "$1"; printf 'parent edit\n' >a.txt; printf 'n\n' >n.txt; printf '#!/bin/sh\n{ sleep 0.5; printf "stamp\\n" >>a.txt; printf "late\\n" >late.txt; } &\n' >.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; }
claim() { [ -x .git/hooks/post-checkout ] && [ "$(state)" = ' M a.txt;?? n.txt;' ]; }
check() { [ -e "$2/.git" ] || return 0; local i; for i in {1..100}; do [ ! -e "$2/late.txt" ] || break; sleep 0.1; done; rm "$2/late.txt" || echo "the job never wrote"; if { cat "$1/a.txt"; printf 'stamp\n'; } | cmp -s - "$2/a.txt"; then cat "$1/a.txt" >"$2/a.txt"; fi; }
run "$@"
