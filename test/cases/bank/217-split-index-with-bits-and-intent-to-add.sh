#!/usr/bin/env bash
# CASE  : 217-split-index-with-bits-and-intent-to-add
# KIND  : index   WANT: exact
# SOURCE: git-update-index(1) --split-index ; combines 126, 005 and 091
# STATE : the index is split; in it a staged edit, an assume-unchanged file that was edited, a skip-worktree file that was deleted from disk, an intent-to-add file; files are stat-dirty
# EXPECT: exact; no sharedindex file appears or vanishes in the parent.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; git config core.splitIndex true; git update-index --split-index; printf 'v2\n' >a.txt; git add a.txt; git update-index --assume-unchanged docs/c.md; printf 'hidden\n' >docs/c.md; git update-index --skip-worktree src/b.txt; rm src/b.txt; printf 'i\n' >ita.txt; git add -N ita.txt; touch -d 2001-01-01 run.sh; }
claim() { ls .git/sharedindex.* >/dev/null 2>&1 && [ "$(state)" = 'M  a.txt; A ita.txt;' ] && [ "$(git ls-files -v | cut -c1 | tr -d '\n')" = HHhHHS ]; }
run "$@"
