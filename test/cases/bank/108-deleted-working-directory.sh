#!/usr/bin/env bash
# CASE  : 108-deleted-working-directory
# KIND  : sessions   WANT: list
# SOURCE: https://github.com/Ark0N/Codeman/issues/265 ; https://github.com/anthropics/claude-code/issues/76735 ; https://github.com/mohitsoni48/TurboLLM/pull/95
# STATE : sessions of a worktree that was removed; another one whose project directory name cannot be decoded (cwd is in the lines)
# EXPECT: asked about the removed folder, its session is listed with its true cwd, marked as not startable there. Never $HOME as a guess, no chdir error.
. "${BASH_SOURCE[0]%/*}/../sessions.sh"
KIND=sessions WANT=list
setup() { mk "$1"; sess 1 "$P/work/gone-wt" "from a removed worktree" 2026-05-01T10:00:00Z; sess 2 "$W" "alive" 2026-05-02T10:00:00Z; }
query() { printf %s "$1/work/gone-wt"; }
claim() { [ ! -e "$1/work/gone-wt" ]; }
expected() { printf '%s\tno\tfrom a removed worktree\n' "$(sid 1)"; }
run "$@"
