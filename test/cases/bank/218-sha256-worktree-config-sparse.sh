#!/usr/bin/env bash
# CASE  : 218-sha256-worktree-config-sparse
# KIND  : format   WANT: exact
# SOURCE: git-worktree(1) extensions.worktreeConfig ; https://github.com/microsoft/vscode/pull/327494 ; combines 079, 063 and 046
# STATE : object format sha256, worktreeConfig on, a sparse checkout that is no cone, a private setting of the parent (core.autocrlf) in config.worktree; staged and unstaged edits, a CRLF file untracked
# EXPECT: exact; the parent's config.worktree stays as it is.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=format WANT=exact
setup() { base --object-format=sha256 "$1"; git sparse-checkout init --no-cone >/dev/null 2>&1; git sparse-checkout set --no-cone '/*' '!/docs/' >/dev/null 2>&1; git config extensions.worktreeConfig true; git config --worktree core.autocrlf input; printf 'v2\n' >a.txt; git add a.txt; printf 'v3\n' >>a.txt; printf 'c\r\n' >crlf.txt; }
claim() { [ "$(git rev-parse HEAD | wc -c)" = 65 ] && [ "$(state)" = 'MM a.txt;?? crlf.txt;' ] && [ ! -e docs ] && [ "$(git config --worktree core.autocrlf)" = input ]; }
run "$@"
