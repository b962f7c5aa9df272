#!/usr/bin/env bash
# CASE  : 133-hook-edits-a-carried-file-at-once
# KIND  : hooks   WANT: exact
# SOURCE: githooks(5) post-checkout ; https://github.com/anthropics/claude-code/issues/27963 ; https://github.com/superset-sh/superset/pull/6168
# STATE : post-checkout in a new worktree adds a line to a.txt and writes hook-note.txt; the parent has an edit of a.txt and a new file
# EXPECT: the child has the parent's bytes; what the hook did AFTER the carry may stand on top of them (a.txt with one more line, hook-note.txt) and is then
#         said in a warning. The commit's bytes plus the hook's line, an error, or something left behind is wrong. The check takes the hook's doing away before
#         comparing.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=hooks WANT=exact
setup() { base "$1"; printf 'parent edit\n' >a.txt; printf 'n\n' >n.txt; printf '#!/bin/sh\ncase $1 in *[!0]*) exit 0;; esac\nprintf "stamp\\n" >>a.txt; printf "by hook\\n" >hook-note.txt\n' >.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout; }
claim() { [ -x .git/hooks/post-checkout ] && [ "$(git --no-optional-locks status --porcelain | tr '\n' ';')" = ' M a.txt;?? n.txt;' ]; }
check() { [ -e "$2/.git" ] || return 0; [ ! -e "$2/hook-note.txt" ] || { said hook || echo "no warning though a hook wrote files"; rm -f "$2/hook-note.txt"; }; if { cat "$1/a.txt"; printf 'stamp\n'; } | cmp -s - "$2/a.txt"; then cat "$1/a.txt" >"$2/a.txt"; fi; }
run "$@"
