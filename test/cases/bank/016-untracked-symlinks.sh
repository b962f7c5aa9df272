#!/usr/bin/env bash
# CASE  : 016-untracked-symlinks
# KIND  : links   WANT: exact
# SOURCE: https://github.com/max-sixty/worktrunk/issues/1488 ; https://github.com/coderabbitai/git-worktree-runner/issues/45 ; https://github.com/bmad-code-org/bmad-loop/issues/416
# STATE : untracked symlinks: relative, absolute, dangling, to a directory, to itself, to ../outside
# EXPECT: links are copied as links with the same target text; nothing they point to is read or copied.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=links WANT=exact
setup() { base "$1"; ln -s a.txt l-rel; ln -s /etc/hostname l-abs; ln -s no/such l-dangling; ln -s docs l-dir; ln -s l-loop l-loop; ln -s ../outside l-out; }
claim() { [ "$(git ls-files -o --exclude-standard | wc -l)" = 6 ]; }
run "$@"
