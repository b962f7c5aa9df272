#!/usr/bin/env bash
# CASE  : 268-every-bit-and-a-folder-in-the-way
# KIND  : index-flags   WANT: exact
# SOURCE: git-update-index(1) --assume-unchanged, --skip-worktree
# STATE : a skip-worktree file is replaced by a folder with files, an assume-unchanged one by a link, another assume-unchanged one is gone and its folder is a file
# EXPECT: the disk is the parent's, and each entry keeps its bit
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index-flags WANT=exact
setup() { base "$1"; git update-index --skip-worktree a.txt; git update-index --assume-unchanged run.sh docs/c.md; rm a.txt; mkdir a.txt; printf 'in\n' >a.txt/in; rm run.sh; ln -s src/b.txt run.sh; rm -r docs; printf 'file\n' >docs; }
claim() { [ "$(git ls-files -v a.txt run.sh docs/c.md | cut -c1 | tr -d '\n')" = Shh ]; }
run "$@"
