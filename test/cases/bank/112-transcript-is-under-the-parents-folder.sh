#!/usr/bin/env bash
# CASE  : 112-transcript-is-under-the-parents-folder
# KIND  : fork   WANT: list
# SOURCE: https://github.com/epilande/ccmux/issues/70 ; https://github.com/manaflow-ai/cmux/issues/5941 ; https://github.com/anthropics/claude-code/issues/58591 ("No conversation found with session ID" in another cwd) ;
#         https://github.com/anthropics/claude-code/issues/80014 (2.1.217: a resumed session acts in the ROOT worktree) ; #28769 ; Orca says it works with 2.1.282
# STATE : the session is stored for work/app only; the child worktree is work/child, whose project directory does not exist
# EXPECT: (This case asks for the list; the fork is proved with the real program.) Public reports disagree on whether "claude --resume ID --fork-session" started in work/child finds ID. A fork must
#         find out before it says success (start the agent where it can find the session, or seed a COPY, never a link, of the transcript for the child's
#         folder), and the parent's file must stay byte-identical.
. "${BASH_SOURCE[0]%/*}/../sessions.sh"
KIND=fork WANT=list
setup() { mk "$1"; ( cd "$W"; git -c user.name=T -c user.email=t@e.invalid commit -q --allow-empty -m i; git worktree add -q -b child ../child ); sess 1 "$W" "parent talk" 2026-05-01T10:00:00Z; }
claim() { P=$1; [ -d "$1/work/child" ] && [ ! -e "$1/home/.claude/projects/$(enc "$1/work/child")" ]; }
expected() { printf '%s\tyes\tparent talk\n' "$(sid 1)"; }
run "$@"
