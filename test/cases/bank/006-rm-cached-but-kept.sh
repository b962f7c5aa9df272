#!/usr/bin/env bash
# CASE  : 006-rm-cached-but-kept
# KIND  : index   WANT: exact
# SOURCE: https://github.com/jdx/hk/pull/927 (staged deletions) ; git-stash(1)
# STATE : git rm --cached a.txt, the file stays on disk and was edited since: status shows D and ??
# EXPECT: the child's a.txt has the parent's bytes. Copying untracked files before the tracked change deletes the file again; collision
#         checks must not take the committed a.txt in the child for a foreign file.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; git rm -q --cached a.txt; printf 'kept and edited\n' >a.txt; }
claim() { [ "$(git status --porcelain | sort | tr '\n' ';')" = '?? a.txt;D  a.txt;' ]; }
run "$@"
