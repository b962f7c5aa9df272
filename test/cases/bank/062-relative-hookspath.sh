#!/usr/bin/env bash
# CASE  : 062-relative-hookspath
# KIND  : hooks   WANT: either
# SOURCE: https://github.com/langwatch/langwatch/pull/2010 ; https://github.com/LeanerCloud/dotclaude/pull/46
# STATE : core.hooksPath=.husky/_ : ignored directory that exists only in the parent; the hook there fails
# EXPECT: as 060. Measured with git 2.39: the relative path is taken from where git worktree add is run, so with the parent as cwd the parent's hook RUNS
#         (and fails) although the new worktree has no .husky/_; run from elsewhere it does not. The outcome must not hang on the tool's cwd.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=hooks WANT=either
setup() { base "$1"; printf '.husky/_/\n' >>.gitignore; git_c commit -q -am ig; mkdir -p .husky/_; printf '#!/bin/sh\nexit 1\n' >.husky/_/post-checkout; chmod +x .husky/_/post-checkout; git config core.hooksPath .husky/_; printf 'x\n' >>a.txt; }
claim() { [ "$(git config core.hooksPath)" = .husky/_ ] && [ -x .husky/_/post-checkout ]; }
run "$@"
